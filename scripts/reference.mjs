// Prints docs/api.md from the contract and reference-template.md. With --stdout it goes to the terminal instead.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { api, openapi, lists, metrics, memory, reports, deals, rules, required } = await loadContract({
  api: 'index',
  openapi: 'openapi',
  lists: 'lists',
  metrics: 'metrics',
  memory: 'memory-resources',
  reports: 'report-resources',
  deals: 'deal-resources',
  rules: 'rules',
  required: 'required-fields',
});
const operations = Object.values(api.operations);
const { getMetricSeries, stepEntry } = api.operations;
const isList = ({ path }) => path.startsWith('/api/lists');

const sections = {
  count: operations.length,
  version: api.apiVersion,
  versions: words(metrics.versions),
  scopes: words(Object.values(metrics.scopes)),
  oauth: operations.flatMap(({ id, oauth }) => (oauth ? link(id) : [])).join(' and '),
  company: companyPlaces(),
  operations: operationTable(),
  'list operations': operations.filter(isList).map(operationText).join('\n\n'),
  'metric operations': operations.flatMap((op) => (isList(op) ? [] : operationText(op))).join('\n\n'),
  'series rules': numbered(getMetricSeries.notes),
  'step errors': stepEntry.errors,
  'step rules': numbered(stepEntry.notes),
  error: fieldTable(openapi.ErrorBody),
  limits: limitTable(),
  'list resources': resourceTexts(lists),
  'metric resources': resourceTexts(metrics),
  'memory resources': resourceTexts(memory),
  'report resources': resourceTexts(reports),
  'deal resources': resourceTexts(deals),
  enumerations: enumerationTable(),
  'needed fields': neededFields(),
  'known metrics': words(metrics.knownMetrics),
};

const template = await readFile(new URL('reference-template.md', import.meta.url), 'utf8');
const body = template.replace(/<!-- insert: ([\w ]+) -->/g, (_, name) => {
  if (sections[name] === undefined) throw new Error(`reference-template.md: no section is called ${name}`);
  return sections[name];
});
const notice = 'Printed from src/contract and scripts/reference-template.md by `npm run docs`. Do not edit.';
const page = `<!-- ${notice} -->\n\n${body}`;
if (process.argv.includes('--stdout')) process.stdout.write(page);
else await writeFile(`${root}docs/api.md`, page);

/** Modules of src/contract, which Node 20 cannot load itself. */
async function loadContract(files) {
  const entry = 'contract';
  const code = Object.entries(files).map(([name, file]) => `export * as ${name} from './src/contract/${file}.ts';`);
  const bundle = await rolldown({
    input: entry,
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id === entry ? `${root}${entry}.js` : undefined),
        load: (id) => (id === `${root}${entry}.js` ? code.join('\n') : undefined),
      },
    ],
  });
  const file = `${root}.cache/contract.mjs`;
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return import(pathToFileURL(file));
}

function neededFields() {
  const text = (path) =>
    path
      .split('|')
      .map((part) => `\`${part}\``)
      .join(' or ');
  const rows = Object.entries(required.requiredFields).map(
    ([id, paths]) => `| ${link(id)} | ${paths.map(text).join(', ')} |`,
  );
  return ['| Operation | Fields |', '| --- | --- |', ...rows].join('\n');
}

function companyPlaces() {
  const either = 'query parameter `companyId`, or header `X-Company-Id`';
  const places = {
    'query true': `${either}; one is required`,
    'query false': `${either}; if neither is given, the company of the credential`,
    'body true': 'field `companyId` of the body',
    'header false': 'header `X-Company-Id`, which may be left out',
  };
  return table(['Place', 'Operations'], Object.entries(places), ([key, place]) => [
    place,
    operations
      .filter(({ company }) => `${company.in} ${company.required}` === key)
      .map(({ id }) => link(id))
      .join(', '),
  ]);
}

function operationTable() {
  const credentials = { key: 'API key', session: 'Session' };
  return table(['Operation', 'Request', 'Credential', 'Success body', 'Error bodies'], operations, (op) => [
    link(op.id),
    `\`${op.method} ${op.path}\``,
    credentials[op.credential],
    successBody(op),
    op.errors,
  ]);
}

function successBody({ result, envelope }) {
  if (!result) return 'empty';
  return envelope ? `\`{${envelope}}\`: ${typeOf(result.properties[envelope])}` : typeOf(result);
}

function operationText(op) {
  const parameters = [
    ...fieldsOf(op.params).map((field) => ({ ...field, place: 'path' })),
    ...fieldsOf(op.query).map((field) => ({ ...field, place: 'query' })),
    ...(op.body ? fieldsOf(op.body).map((field) => ({ ...field, place: 'body' })) : []),
  ];
  const parts = [
    `#### ${op.id}`,
    `\`${op.method} ${op.path}\` · ${op.summary}.`,
    parameters.length > 0 &&
      table(['Parameter', 'In', 'Type', 'Required', 'Rule'], parameters, ({ name, place, schema, required }) => [
        `\`${name}\``,
        place,
        typeOf(schema),
        // A company may be named by the header instead.
        required && !(name === 'companyId' && place === 'query') ? 'yes' : '',
        ruleOf(schema),
      ]),
    op.body && !op.body.properties && 'The body is an object; all its fields are optional.',
    op === stepEntry
      ? 'See [Step results](#step-results).'
      : op === getMetricSeries && 'See [Series rules](#series-rules).',
    op !== stepEntry && op !== getMetricSeries && op.notes && bullets(op.notes),
    op.rules && `Checked by client and server:\n\n${bullets(op.rules.map(({ says }) => says))}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

function limitTable() {
  const rows = operations.flatMap((op) =>
    fieldsOf(op.query).flatMap(({ name, schema }) => {
      const limit = bounds(schema);
      return limit ? [[`\`${name}\``, link(op.id), limit]] : [];
    }),
  );
  const series = link(getMetricSeries.id);
  rows.push(
    ['`metricIds`', series, `at most ${rules.maxMetricIds} ids`],
    ['`fromPeriod` to `toPeriod`', series, `at most ${rules.maxWindowPeriods} periods`],
  );
  return table(['Limit on', 'Operation', 'Value'], rows, (row) => row);
}

function resourceTexts(module) {
  return resourcesIn(module)
    .map((resource) =>
      [`#### ${resource.title}`, resource.description, fieldTable(resource)].filter(Boolean).join('\n\n'),
    )
    .join('\n\n');
}

function resourcesIn(module) {
  const found = Object.values(module).filter((value) => value.title && value.properties);
  return found.sort((a, b) => (a.title < b.title ? -1 : 1));
}

function fieldTable(schema) {
  return table(['Field', 'Type', 'Required', 'Notes'], fieldsOf(schema), ({ name, schema: own, required }) => [
    `\`${name}\``,
    typeOf(own),
    required ? 'yes' : '',
    ruleOf(own),
  ]);
}

/** Every set of values once, with the fields that have it. */
function enumerationTable() {
  const resources = [lists, metrics, memory, reports, deals].flatMap(resourcesIn);
  const places = [
    ...resources.map((schema) => ({ schema, owner: schema.title })),
    ...operations.flatMap(({ id, query, body }) => [query, body ?? {}].map((schema) => ({ schema, owner: id }))),
  ];
  const sets = new Map();
  for (const { schema, owner } of places) {
    for (const { name, schema: own } of fieldsOf(schema)) {
      const values = (own.items ?? own).enum?.filter((value) => value !== null);
      if (values) sets.set(words(values), [...(sets.get(words(values)) ?? []), `\`${owner}.${name}\``]);
    }
  }
  return table(['Values', 'Fields'], [...sets], ([values, names]) => [values, names.join(', ')]);
}

/** The fields of an object, those of unnamed objects within it too: `config.options[].label`. */
function fieldsOf(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([key, own]) => {
    const name = prefix + key;
    const field = { name, schema: own, required: schema.required?.includes(key) ?? false };
    const inner = own.items ?? own;
    if (inner.title || !inner.properties) return [field];
    return [field, ...fieldsOf(inner, own.items ? `${name}[].` : `${name}.`)];
  });
}

function typeOf(schema) {
  const types = [schema.type ?? 'any'].flat();
  const orNull = types.includes('null') ? ' or null' : '';
  const base = types.find((type) => type !== 'null');
  if (schema.title) return `${link(schema.title)}${orNull}`;
  if (schema.enum)
    return `${schema.enum.flatMap((value) => (value === null ? [] : `\`${value}\``)).join(', ')}${orNull}`;
  if (base === 'array') return `array of ${typeOf(schema.items)}${orNull}`;
  if (schema.additionalProperties) return `map of ${typeOf(schema.additionalProperties)}${orNull}`;
  return `${schema.format ?? base}${orNull}`;
}

function ruleOf(schema) {
  const { description, default: usual, pattern, contains } = schema;
  const parts = [
    // A named resource has a section of its own.
    !schema.title && description,
    schema.minLength === 1 && 'not empty',
    contains && `contains \`${contains.const}\``,
    bounds(schema),
    pattern && `pattern \`${pattern}\``,
    usual !== undefined && `default \`${usual}\``,
  ];
  return parts.filter(Boolean).join('; ');
}

function bounds({ minimum, maximum, maxLength }) {
  if (maxLength !== undefined) return `at most ${maxLength} characters`;
  if (minimum === undefined) return undefined;
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}

/** Without the columns in which no row has text. */
function table(header, items, cells) {
  const rows = items.map((item) => cells(item).map((cell) => String(cell).replaceAll('|', '\\|')));
  const shown = (_, column) => rows.some((row) => row[column] !== '');
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((row) => `| ${row.filter(shown).join(' | ')} |`).join('\n');
}

function link(heading) {
  return `[${heading}](#${heading.toLowerCase()})`;
}

function words(values) {
  return values.map((value) => `\`${value}\``).join(', ');
}

function bullets(sentences) {
  return sentences.map((says) => `- ${says}`).join('\n');
}

function numbered(sentences) {
  return sentences.map((says, index) => `${index + 1}. ${says}`).join('\n');
}
