/** Resources without an operation (docs/api.md, "Company memory resources"). */
import { array, boolean, dateTime, integer, nullable, object, oneOf, string, uuid } from './schema.ts';

const text = nullable(string());
const texts = array(string());

export const CompanyContext = object(
  {
    exists: boolean(),
    contextType: string(),
    context: object({
      name: string(),
      oneLiner: string(),
      description: string(),
      website: string(),
      founded: string(),
      headquarters: string(),
      industry: string(),
      stage: string(),
      teamSize: string(),
      businessModel: string(),
      targetCustomer: string(),
      competitors: string(),
      keyDifferentiator: string(),
      marketSegment: string(),
      currentFocus: string(),
    }),
  },
  { title: 'CompanyContext' },
);

export const Decision = object(
  {
    id: uuid(),
    content: string(),
    domain: string(),
    made_at: dateTime(),
    context: string({ description: 'why the decision was made' }),
    conjectured: nullable(string({ description: 'the testable claim the decision rests on' })),
    criterion_now: nullable(string({ description: 'what would show the decision is now wrong' })),
    refuted_by: string({ description: 'evidence that ruled out the alternatives' }),
    learned: string({ description: 'what is now known that was not before' }),
  },
  {
    title: 'Decision',
    description:
      'Evidence fields are omitted when absent. `conjectured` and `criterion_now` are required on new decisions and ' +
      'null on rows that predate them. `refuted_by` and `learned` are set once the decision has been tested.',
  },
);

const streamFields = {
  id: uuid(),
  title: text,
  content: string(),
  type: string(),
  lifecycle: oneOf(['vision', 'strategy', 'execution', 'review']),
  domain: oneOf(['product', 'growth', 'people', 'finance', 'operations']),
  reversibility: nullable(oneOf(['irreversible', 'costly', 'reversible'])),
  confidence: nullable(oneOf(['validated', 'hypothesis', 'speculation'])),
  priority: oneOf(['low', 'medium', 'high']),
  status: oneOf(['active', 'superseded', 'archived']),
  superseded_by: nullable(uuid()),
  superseded_at: nullable(dateTime()),
  created_at: dateTime(),
  updated_at: dateTime(),
};

export const StreamEntry = object(streamFields, { title: 'StreamEntry' });
export const SearchResult = object(streamFields, {
  title: 'SearchResult',
  description: 'A search hit: `priority` is derived from the priority score of the entry.',
});

export const SavedViewFilters = object(
  {
    folder_ids: texts,
    content_type: texts,
    document_type: texts,
    domain: texts,
    sub_domain: texts,
    sensitivity: texts,
    lifecycle: texts,
    status: texts,
    created_by: texts,
    tags: texts,
    date_from: string(),
    date_to: string(),
    search: string(),
  },
  { title: 'SavedViewFilters' },
);

export const SavedView = object(
  {
    id: uuid(),
    room_id: uuid(),
    company_id: uuid(),
    created_by: uuid(),
    name: string(),
    description: text,
    icon: string(),
    filters: SavedViewFilters,
    position: integer(),
    is_pinned: boolean(),
    created_at: dateTime(),
    updated_at: dateTime(),
  },
  { title: 'SavedView' },
);

const origins = [
  'conversation',
  'standalone',
  'import',
  'cli',
  'document',
  'room',
  'web',
  'synthesis',
  'fork',
] as const;

export const Artifact = object(
  {
    id: uuid(),
    company_id: uuid(),
    title: string(),
    description: text,
    content: string(),
    type: string(),
    version: integer(),
    origin_type: oneOf(origins),
    content_type: text,
    content_format: string(),
    conversation_id: nullable(uuid()),
    status: text,
    tags: texts,
    file_path: text,
    artifact_group_id: nullable(uuid()),
    parent_artifact_id: nullable(uuid()),
    is_final_version: boolean(),
    generated_by: nullable(oneOf(['ai', 'human', 'hybrid'])),
    created_at: dateTime(),
    updated_at: dateTime(),
  },
  { title: 'Artifact' },
);

export const ArtifactSearchResult = object(
  {
    id: uuid(),
    title: string(),
    type: string(),
    status: string(),
    version: integer(),
    excerpt: string({ description: 'the first 200 characters of content' }),
    created_at: dateTime(),
  },
  { title: 'ArtifactSearchResult' },
);

export const RoomCharter = object(
  {
    id: uuid(),
    label: text,
    name: text,
    description: text,
    audience: texts,
    objectives: texts,
    constraints: texts,
    data_sources: texts,
    policies: texts,
    sensitivity_allowlist: texts,
    grid_columns: texts,
    auto_sync_enabled: nullable(boolean()),
    sync_target_id: nullable(uuid()),
  },
  { title: 'RoomCharter' },
);

export const Room = object(
  {
    id: uuid(),
    label: string({ description: 'URL-safe slug: lowercase alphanumeric with hyphens' }),
    name: string(),
    description: text,
    icon: text,
    visibility: oneOf(['private', 'team', 'shared']),
    created_at: dateTime(),
    company_id: nullable(uuid()),
    artifact_count: integer(),
    member_count: integer(),
    last_activity_at: nullable(dateTime()),
    created_by: nullable(uuid()),
    updated_at: nullable(dateTime()),
    charter: nullable(RoomCharter),
  },
  { title: 'Room' },
);
