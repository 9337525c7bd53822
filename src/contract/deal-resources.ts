/** Resources without an operation (docs/api.md, "Initiative and pipeline resources"). */
import { anyObject, array, boolean, dateTime, integer, nullable, object, oneOf, string, uuid } from './schema.ts';

const text = nullable(string());
const texts = array(string());
const id = nullable(uuid());

export const CompanyInitiativeChild = object(
  {
    id: uuid(),
    slug: string(),
    name: string(),
    kind: oneOf(['key_result', 'blocker', 'action']),
    completed: boolean(),
    owner: text,
  },
  { title: 'CompanyInitiativeChild' },
);

export const CompanyInitiativeTask = object(
  {
    id: string(),
    title: string(),
    status: oneOf(['backlog', 'open', 'done', 'passed', 'postponed']),
    owner: text,
    sourceKind: oneOf(['manual', 'suggested_action']),
    sourceActionTitle: text,
    position: integer(),
    isVirtual: boolean(),
  },
  { title: 'CompanyInitiativeTask' },
);

export const CompanyInitiativeSourceEntry = object(
  { id: uuid(), title: string(), domain: string(), type: string() },
  { title: 'CompanyInitiativeSourceEntry' },
);

export const CompanyInitiative = object(
  {
    id: uuid(),
    slug: string(),
    name: string(),
    description: text,
    status: string(),
    quarter: text,
    owner: text,
    children: array(CompanyInitiativeChild),
    executionTasks: array(CompanyInitiativeTask),
    linkedEntityCount: integer(),
    sourceEntries: array(CompanyInitiativeSourceEntry),
  },
  { title: 'CompanyInitiative' },
);

export const PipelineList = object(
  { id: uuid(), name: string(), slug: string(), created_by: id, created_at: nullable(dateTime()) },
  { title: 'PipelineList' },
);

export const PipelineCreatorProfile = object(
  { id: uuid(), name: text, avatar_url: text },
  { title: 'PipelineCreatorProfile' },
);

export const PipelineFirm = object(
  {
    id,
    name: text,
    context_type: text,
    enrichment_level: text,
    enrichment_data: nullable(anyObject()),
    enriched_at: nullable(dateTime()),
    context_markdown: text,
    linked_company_id: id,
  },
  { title: 'PipelineFirm' },
);

export const PipelinePlatformMatch = object(
  {
    id: uuid(),
    name: string(),
    slug: text,
    contextType: text,
    publicPageEnabled: boolean(),
    stage: text,
    vertical: text,
    accessStatus: oneOf(['member', 'pending', 'requestable', 'unavailable']),
  },
  { title: 'PipelinePlatformMatch' },
);

export const PipelineCommunicationLane = object(
  {
    type: oneOf(['network', 'workspace']),
    id: uuid(),
    name: string(),
    surfaceLabel: string(),
    surfaceLabelPlural: string(),
    description: string(),
  },
  { title: 'PipelineCommunicationLane' },
);

export const PipelineSequenceStage = object(
  {
    key: string(),
    label: string(),
    isTerminal: boolean(),
    control: oneOf(['light', 'review', 'gated']),
    requiredTaskKeys: texts,
    allowedNextStages: texts,
    guidance: text,
  },
  { title: 'PipelineSequenceStage' },
);

export const PipelineSequenceTemplate = object(
  {
    key: string(),
    dimension: string(),
    contextType: text,
    vertical: text,
    defaultStage: string(),
    templateFamily: oneOf(['legacy_pipeline', 'v3_default']),
    stages: array(PipelineSequenceStage),
  },
  { title: 'PipelineSequenceTemplate' },
);

const approvalEnd = {
  requesterId: id,
  approverId: id,
  requesterName: text,
  companyName: text,
  createdAt: dateTime(),
  isRequester: boolean(),
  isApprover: boolean(),
};

export const PipelinePendingStageTransitionApproval = object(
  {
    id: uuid(),
    requestType: oneOf(['pipeline_stage_transition']),
    status: oneOf(['pending']),
    currentStage: string(),
    targetStage: string(),
    currentStageControl: oneOf(['review', 'gated']),
    ...approvalEnd,
  },
  { title: 'PipelinePendingStageTransitionApproval' },
);

export const PipelinePendingTypeSwitchApproval = object(
  {
    id: uuid(),
    requestType: oneOf(['pipeline_sequence_type_switch']),
    status: oneOf(['pending']),
    sourceSequenceType: string(),
    sourceStage: string(),
    targetSequenceType: string(),
    targetStage: string(),
    completeSource: boolean({ description: 'always true' }),
    ...approvalEnd,
  },
  { title: 'PipelinePendingTypeSwitchApproval' },
);

export const PipelineSequenceTask = object(
  { id, taskKey: string(), title: string(), status: string() },
  { title: 'PipelineSequenceTask' },
);

export const PipelineSequenceReadiness = object(
  {
    isReady: boolean(),
    requiredTaskCount: integer(),
    completedTaskCount: integer(),
    incompleteTaskCount: integer(),
    missingTaskKeys: texts,
    openTasks: array(PipelineSequenceTask),
  },
  { title: 'PipelineSequenceReadiness' },
);

export const PipelineSequence = object(
  {
    id: uuid(),
    sequenceType: string(),
    stage: string(),
    stageLabel: string(),
    status: string(),
    ownerId: id,
    startedAt: nullable(dateTime()),
    completedAt: nullable(dateTime()),
    notes: text,
    templateKey: text,
    templateDimension: text,
    template: nullable(PipelineSequenceTemplate),
    readiness: nullable(PipelineSequenceReadiness),
    pendingStageTransitionApproval: nullable(PipelinePendingStageTransitionApproval),
    pendingTypeSwitchApproval: nullable(PipelinePendingTypeSwitchApproval),
  },
  { title: 'PipelineSequence' },
);

export const PipelineDealListItem = object(
  {
    id: uuid(),
    name: string(),
    domain: text,
    normalized_domain: text,
    lifecycle_state: text,
    type: string(),
    context_type: text,
    stage: text,
    is_lead: boolean(),
    is_active: boolean(),
    investment_stage: text,
    investment_decision: text,
    investment_rationale: text,
    research_notes: text,
    research_sources: text,
    dd_notes: text,
    dd_checklist: text,
    deck_url: text,
  },
  { title: 'PipelineDealListItem', description: 'The API does not document all fields of this record.' },
);
