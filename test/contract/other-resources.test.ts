/** The fields of the resources without an endpoint, typed by hand from the description of the API. `?` is nullable, `[]` an array, `{}` an object. */
import { describe, expect, it } from 'vitest';
import * as deals from '../../src/contract/deal-resources.ts';
import * as memory from '../../src/contract/memory-resources.ts';
import { resources } from '../../src/contract/openapi.ts';
import * as reports from '../../src/contract/report-resources.ts';
import { baseType, type JsonSchema } from '../../src/contract/schema.ts';

const stream =
  'id title? content type lifecycle domain reversibility? confidence? priority status superseded_by? superseded_at? created_at updated_at';
const ends = 'requesterId? approverId? requesterName? companyName? createdAt isRequester isApprover';

const table: Record<string, string> = {
  CompanyContext: 'exists contextType context{}',
  Decision: 'id content domain made_at context conjectured? criterion_now? refuted_by learned',
  StreamEntry: stream,
  SearchResult: stream,
  SavedView:
    'id room_id company_id created_by name description? icon filters{} position is_pinned created_at updated_at',
  SavedViewFilters:
    'folder_ids[] content_type[] document_type[] domain[] sub_domain[] sensitivity[] lifecycle[] status[] created_by[] tags[] date_from date_to search',
  Artifact:
    'id company_id title description? content type version origin_type content_type? content_format conversation_id? status? tags[] file_path? artifact_group_id? parent_artifact_id? is_final_version generated_by? created_at updated_at',
  ArtifactSearchResult: 'id title type status version excerpt created_at',
  Room: 'id label name description? icon? visibility created_at company_id? artifact_count member_count last_activity_at? created_by? updated_at? charter{}?',
  RoomCharter:
    'id label? name? description? audience[] objectives[] constraints[] data_sources[] policies[] sensitivity_allowlist[] grid_columns[] auto_sync_enabled? sync_target_id?',
  ReportCompany: 'id name? slug? vertical?',
  ReportListItem:
    'id title template_id? date_range_start? date_range_end? date_preset? generation_time_ms? total_entries created_at created_by? report_json{}? markdown_summary? status? annotations_enabled?',
  Report:
    'id company_id? title template_id? markdown? markdown_bundle{}? report_json{}? date_range_start? date_range_end? date_preset? generation_time_ms? total_entries created_by? created_at updated_at? status? edited_markdown? edited_at? edited_by? last_autosave_at? variant? markdown_summary? markdown_executive? markdown_detailed? annotations_enabled? memorized_at? sent_at? error_message? source_type? source_attachment_id? parent_report_id? child_report_ids[]? rollup_summary? content? metadata{}? source_entry_ids[]? source_query{}? company{}?',
  ReportVersion:
    'id report_id markdown variant? version_number created_by? created_at change_description? created_by_profile{}?',
  CompanyInitiative:
    'id slug name description? status quarter? owner? children[] executionTasks[] linkedEntityCount sourceEntries[]',
  CompanyInitiativeChild: 'id slug name kind completed owner?',
  CompanyInitiativeTask: 'id title status owner? sourceKind sourceActionTitle? position isVirtual',
  CompanyInitiativeSourceEntry: 'id title domain type',
  PipelineList: 'id name slug created_by? created_at?',
  PipelineCreatorProfile: 'id name? avatar_url?',
  PipelineFirm:
    'id? name? context_type? enrichment_level? enrichment_data{}? enriched_at? context_markdown? linked_company_id?',
  PipelinePlatformMatch: 'id name slug? contextType? publicPageEnabled stage? vertical? accessStatus',
  PipelineCommunicationLane: 'type id name surfaceLabel surfaceLabelPlural description',
  PipelineSequenceStage: 'key label isTerminal control requiredTaskKeys[] allowedNextStages[] guidance?',
  PipelineSequenceTemplate: 'key dimension contextType? vertical? defaultStage templateFamily stages[]',
  PipelineSequence:
    'id sequenceType stage stageLabel status ownerId? startedAt? completedAt? notes? templateKey? templateDimension? template{}? readiness{}? pendingStageTransitionApproval{}? pendingTypeSwitchApproval{}?',
  PipelinePendingStageTransitionApproval: `id requestType status currentStage targetStage currentStageControl ${ends}`,
  PipelinePendingTypeSwitchApproval: `id requestType status sourceSequenceType sourceStage targetSequenceType targetStage completeSource ${ends}`,
  PipelineSequenceReadiness:
    'isReady requiredTaskCount completedTaskCount incompleteTaskCount missingTaskKeys[] openTasks[]',
  PipelineSequenceTask: 'id? taskKey title status',
  PipelineDealListItem:
    'id name domain? normalized_domain? lifecycle_state? type context_type? stage? is_lead is_active investment_stage? investment_decision? investment_rationale? research_notes? research_sources? dd_notes? dd_checklist? deck_url?',
};

const enums: [resource: string, field: string, ...values: string[]][] = [
  ['StreamEntry', 'lifecycle', 'vision', 'strategy', 'execution', 'review'],
  ['StreamEntry', 'domain', 'product', 'growth', 'people', 'finance', 'operations'],
  ['StreamEntry', 'reversibility', 'irreversible', 'costly', 'reversible'],
  ['StreamEntry', 'confidence', 'validated', 'hypothesis', 'speculation'],
  ['StreamEntry', 'priority', 'low', 'medium', 'high'],
  ['StreamEntry', 'status', 'active', 'superseded', 'archived'],
  ['Artifact', 'generated_by', 'ai', 'human', 'hybrid'],
  ['Room', 'visibility', 'private', 'team', 'shared'],
  ['Report', 'status', 'queued', 'generating', 'draft', 'published', 'archived', 'failed'],
  ['ReportListItem', 'status', 'queued', 'generating', 'draft', 'published', 'archived', 'failed'],
  ['ReportVersion', 'variant', 'summary', 'executive', 'detailed'],
  ['CompanyInitiativeChild', 'kind', 'key_result', 'blocker', 'action'],
  ['CompanyInitiativeTask', 'status', 'backlog', 'open', 'done', 'passed', 'postponed'],
  ['CompanyInitiativeTask', 'sourceKind', 'manual', 'suggested_action'],
  ['PipelinePlatformMatch', 'accessStatus', 'member', 'pending', 'requestable', 'unavailable'],
  ['PipelineCommunicationLane', 'type', 'network', 'workspace'],
  ['PipelineSequenceStage', 'control', 'light', 'review', 'gated'],
  ['PipelineSequenceTemplate', 'templateFamily', 'legacy_pipeline', 'v3_default'],
];

function written([name, schema]: [string, JsonSchema]): string {
  const kind = { array: '[]', object: '{}' }[baseType(schema) ?? ''] ?? '';
  return name + kind + (Array.isArray(schema.type) && schema.type.includes('null') ? '?' : '');
}

describe('resources without an endpoint', () => {
  it.each(Object.entries(table))('%s', (name, fields) => {
    const properties = Object.entries(resources[name]?.properties ?? {});
    expect(properties.map(written).join(' ')).toBe(fields);
  });

  it('are all of them', () => {
    const titles = [deals, memory, reports].flatMap((exports) =>
      Object.values(exports).flatMap((schema) => ('title' in schema ? [schema.title] : [])),
    );
    expect(titles.sort()).toEqual(Object.keys(table).sort());
  });

  it.each(enums)('%s.%s', (resource, field, ...values) => {
    const allowed = resources[resource]?.properties?.[field]?.enum ?? [];
    expect(allowed.filter((value) => value !== null)).toEqual(values);
  });

  it('are beside those that have one', () => {
    expect(Object.keys(resources)).toEqual(expect.arrayContaining(['CustomListEntry', 'MetricGrant', 'Report']));
  });
});
