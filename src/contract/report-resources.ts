/** Resources without an operation (docs/api.md, "Report resources"). */
import {
  anyObject,
  array,
  boolean,
  date,
  dateTime,
  integer,
  nullable,
  object,
  oneOf,
  record,
  string,
  uuid,
} from './schema.ts';

const text = nullable(string());
const reportStatuses = ['queued', 'generating', 'draft', 'published', 'archived', 'failed'] as const;
const reportVariant = nullable(oneOf(['summary', 'executive', 'detailed']));
const instant = nullable(dateTime());

export const ReportCompany = object({ id: uuid(), name: text, slug: text, vertical: text }, { title: 'ReportCompany' });

export const ReportListItem = object(
  {
    id: uuid(),
    title: string(),
    template_id: text,
    date_range_start: nullable(date()),
    date_range_end: nullable(date()),
    date_preset: text,
    generation_time_ms: nullable(integer()),
    total_entries: integer(),
    created_at: dateTime(),
    created_by: nullable(uuid()),
    report_json: nullable(object({ summary: anyObject() })),
    markdown_summary: text,
    status: nullable(oneOf(reportStatuses)),
    annotations_enabled: nullable(boolean()),
  },
  { title: 'ReportListItem' },
);

/** All fields besides id, title, total_entries and created_at are nullable. */
export const Report = object(
  {
    id: uuid(),
    company_id: nullable(uuid()),
    title: string(),
    template_id: text,
    markdown: text,
    markdown_bundle: nullable(record(string())),
    report_json: nullable(anyObject()),
    date_range_start: nullable(date()),
    date_range_end: nullable(date()),
    date_preset: text,
    generation_time_ms: nullable(integer()),
    total_entries: integer(),
    created_by: nullable(uuid()),
    created_at: dateTime(),
    updated_at: instant,
    status: nullable(oneOf(reportStatuses)),
    edited_markdown: text,
    edited_at: instant,
    edited_by: nullable(uuid()),
    last_autosave_at: instant,
    variant: reportVariant,
    markdown_summary: text,
    markdown_executive: text,
    markdown_detailed: text,
    annotations_enabled: nullable(boolean()),
    memorized_at: instant,
    sent_at: instant,
    error_message: text,
    source_type: text,
    source_attachment_id: nullable(uuid()),
    parent_report_id: nullable(uuid()),
    child_report_ids: nullable(array(uuid())),
    rollup_summary: text,
    content: text,
    metadata: nullable(anyObject()),
    source_entry_ids: nullable(array(uuid())),
    source_query: nullable(anyObject()),
    company: nullable(ReportCompany),
  },
  { title: 'Report' },
);

export const ReportVersion = object(
  {
    id: uuid(),
    report_id: uuid(),
    markdown: string(),
    variant: reportVariant,
    version_number: integer(),
    created_by: nullable(uuid()),
    created_at: dateTime(),
    change_description: text,
    created_by_profile: nullable(object({ name: text, email: text })),
  },
  { title: 'ReportVersion' },
);
