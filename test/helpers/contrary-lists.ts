/** Custom lists of the contrary server. */
import { randomUUID } from 'node:crypto';
import { type Answer, type Call, type Route, refuse, stamp } from './contrary-server.ts';

type Row = Record<string, unknown> & { id: string };
interface Option {
  id: string;
  label: string;
  [further: string]: unknown;
}
interface Attribute extends Row {
  slug: string;
  attribute_type: string;
  is_required: boolean;
  config?: { options?: Option[] | null };
}
interface Entry extends Row {
  title: string;
  archived: boolean;
  values: Record<string, unknown>;
}
interface List {
  fields: Row & { slug: string };
  attributes: Attribute[];
  entries: Entry[];
}

export type Lists = List[];

const upper = () => randomUUID().toUpperCase();
let clock = 0;
function now(): string {
  clock += 1;
  return stamp(clock);
}
/** Underscores, where the embedded API has hyphens. */
const slugOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
const types = 'text number currency date url email select multi_select status checkbox rating'.split(' ');
const withOptions = ['select', 'multi_select', 'status'];

function newList(name: string, company: string | undefined, fields: Record<string, unknown> = {}): List {
  return {
    fields: {
      id: upper(),
      company_id: company ?? null,
      network_id: upper(),
      name,
      slug: slugOf(name),
      entity_type: 'row',
      is_system: false,
      position: 0,
      created_at: now(),
      updated_at: now(),
      flavour: { of: 'vanilla' },
      ...fields,
    },
    attributes: [],
    entries: [],
  };
}

function newAttribute(list: List, body: Record<string, unknown>): Attribute {
  const { name, attribute_type, config, is_required, position } = body;
  const { options: wanted, ...settings } = (config ?? {}) as { options?: Partial<Option>[] };
  const options = wanted?.map((option, index) => ({
    ...option,
    id: option.id ?? `o${list.attributes.length}-${index}`,
    label: String(option.label),
  }));
  return {
    id: upper(),
    list_id: list.fields.id,
    name,
    slug: slugOf(String(name)),
    attribute_type: String(attribute_type),
    // An attribute without settings carries none at all.
    ...(config === undefined ? {} : { config: { ...settings, ...(options ? { options } : {}) } }),
    is_required: is_required === true,
    position: position ?? list.attributes.length * 10,
    created_at: now(),
    updated_at: now(),
    searchable: true,
  };
}

function newEntry(list: List, body: Record<string, unknown>): Entry {
  return {
    linked_entity_type: null,
    ...body,
    id: upper(),
    list_id: list.fields.id,
    title: String(body.title),
    values: (body.values ?? {}) as Record<string, unknown>,
    archived: body.archived === true,
    position: Number(body.position ?? 0),
    created_at: now(),
    updated_at: now(),
    score: 0.1,
  };
}

/** A list of 130 deals with an attribute type and a tone that the API does not name, and an empty one. */
export function seedLists(company: string): Lists {
  const deals = newList('Deals', company, { description: 'all of them', icon: null });
  for (const body of [
    {
      name: 'Stage',
      attribute_type: 'select',
      config: {
        options: [
          { id: 'st/1', label: 'Lead', tone: 'neon' },
          { id: 'st/2', label: 'Won', color: '#fff' },
        ],
      },
    },
    { name: 'Deal Size', attribute_type: 'currency', config: { currency: 'CHF', min: 0 } },
    {
      name: 'Tags',
      attribute_type: 'multi_select',
      config: {
        options: [
          { id: 't-a', label: 'alpha' },
          { id: 't-b', label: 'beta' },
        ],
      },
    },
    { name: 'Met', attribute_type: 'date' },
    { name: 'Hot', attribute_type: 'checkbox' },
    { name: 'Owner', attribute_type: 'relation' },
  ]) {
    deals.attributes.push(newAttribute(deals, body));
  }
  for (let index = 0; index < 130; index += 1) {
    const values = {
      stage: index % 3 === 0 ? 'st/2' : 'st/1',
      deal_size: index * 1000.5,
      tags: ['t-a'],
      owner: { ref: index },
    };
    deals.entries.push(
      newEntry(deals, { title: `Deal ${String(index).padStart(3, '0')}`, values, archived: index % 10 === 9 }),
    );
  }
  return [deals, newList('Empty', company)];
}

export function listRoutes(lists: Lists): Route[] {
  const session = 'Session' as const;
  const summary = ({ fields, attributes }: List) => ({ ...fields, list_attributes_count: attributes.length });
  const inList = (handle: (list: List, call: Call) => Answer) => (call: Call) => {
    const list = lists.find(({ fields }) => same(fields.id, call.ids[0]));
    return list ? handle(list, call) : refuse(404, 'no list like that');
  };
  const lacks = (body: Record<string, unknown>, ...names: string[]) => {
    const missing = names.filter((name) => typeof body[name] !== 'string' || body[name] === '');
    return missing.length > 0 ? refuse(422, 'something is missing', missing) : undefined;
  };
  const one = '^/api/lists/([^/]+)';
  return [
    {
      method: 'GET',
      path: /^\/api\/lists$/,
      credential: session,
      company: 'required',
      handle: ({ company }) => ({
        status: 203,
        body: lists.filter(({ fields }) => fields.company_id === company).map(summary),
      }),
    },
    {
      method: 'POST',
      path: /^\/api\/lists$/,
      credential: 'Bearer',
      company: 'required',
      handle({ body, company }) {
        const list = newList(String(body.name), company, { ...body });
        const refused = lacks(body, 'name');
        if (refused) return refused;
        lists.push(list);
        return { status: 200, body: summary(list) };
      },
    },
    {
      method: 'POST',
      path: /^\/api\/lists\/templates\/instantiate$/,
      credential: 'Bearer',
      handle({ body, company }) {
        if (body.templateId !== 'tpl:crm') return refuse(lacks(body, 'templateId') ? 422 : 400, 'no such template');
        const list = newList(String(body.name ?? 'CRM'), company ?? lists[0]?.fields.company_id?.toString());
        list.attributes.push(newAttribute(list, { name: 'Phone', attribute_type: 'text' }));
        lists.push(list);
        return {
          status: 202,
          body: { list: summary(list), template: { id: 'tpl:crm', name: 'CRM', description: '', kind: 9 } },
        };
      },
    },
    {
      method: 'GET',
      path: new RegExp(`${one}$`),
      credential: session,
      handle: inList((list) => ({ status: 200, body: { ...list.fields, list_attributes: list.attributes } })),
    },
    {
      method: 'PATCH',
      path: new RegExp(`${one}$`),
      credential: session,
      handle: inList((list, { body }) => {
        Object.assign(list.fields, body, { updated_at: now() });
        return { status: 202, body: summary(list) };
      }),
    },
    {
      method: 'DELETE',
      path: new RegExp(`${one}$`),
      credential: session,
      handle: inList((list) => {
        lists.splice(lists.indexOf(list), 1);
        return { status: 202 };
      }),
    },
    {
      method: 'POST',
      path: new RegExp(`${one}/attributes$`),
      credential: session,
      handle: inList((list, { body }) => {
        if (!types.includes(String(body.attribute_type)) || lacks(body, 'name')) return refuse(422, 'what is that?');
        const attribute = newAttribute(list, body);
        list.attributes.push(attribute);
        return { status: 200, body: attribute };
      }),
    },
    {
      method: 'PATCH',
      path: new RegExp(`${one}/attributes$`),
      credential: session,
      handle: inList((list, { body }) => {
        const attribute = list.attributes.find(({ id }) => same(id, body.id));
        if (!attribute) return refuse(lacks(body, 'id') ? 422 : 404, 'no attribute like that');
        const { id, ...rest } = body;
        Object.assign(attribute, newAttribute(list, { ...attribute, ...rest }), {
          id: attribute.id,
          slug: attribute.slug,
        });
        return { status: 200, body: attribute };
      }),
    },
    {
      method: 'DELETE',
      path: new RegExp(`${one}/attributes$`),
      credential: session,
      handle: inList((list, { query }) => {
        const attribute = list.attributes.find(({ id }) => same(id, query.get('attributeId')));
        if (!attribute) return refuse(404, 'no attribute like that');
        list.attributes.splice(list.attributes.indexOf(attribute), 1);
        for (const { values } of list.entries) delete values[attribute.slug];
        return { status: 200 };
      }),
    },
    { method: 'GET', path: new RegExp(`${one}/entries$`), credential: session, handle: inList(listEntries) },
    {
      method: 'POST',
      path: new RegExp(`${one}/entries$`),
      credential: session,
      handle: inList((list, { body }) => {
        const refused = lacks(body, 'title') ?? badValues(list, body.values);
        if (refused) return refused;
        const entry = newEntry(list, body);
        list.entries.push(entry);
        return { status: 200, body: entry };
      }),
    },
    {
      method: 'PATCH',
      path: new RegExp(`${one}/entries$`),
      credential: session,
      handle: inList((list, { body, options }) => {
        const entry = list.entries.find(({ id }) => same(id, body.id));
        if (!entry) return refuse(lacks(body, 'id') ? 422 : 404, 'no entry like that');
        const refused = badValues(list, body.values);
        if (refused) return refused;
        const given = (body.values ?? {}) as Record<string, unknown>;
        const values = options.replaceValues && body.values ? given : { ...entry.values, ...given };
        Object.assign(entry, body, { id: entry.id, values, updated_at: now() });
        return { status: 202, body: entry };
      }),
    },
    {
      method: 'DELETE',
      path: new RegExp(`${one}/entries$`),
      credential: session,
      handle: inList((list, { query }) => {
        const entry = list.entries.find(({ id }) => same(id, query.get('entryId')));
        if (!entry) return refuse(410, 'no entry like that');
        list.entries.splice(list.entries.indexOf(entry), 1);
        return { status: 204 };
      }),
    },
    {
      method: 'POST',
      path: new RegExp(`${one}/entries/([^/]+)/loop-step$`),
      credential: 'Bearer',
      handle: inList((list, { ids }) => {
        const entry = list.entries.find(({ id }) => same(id, ids[1]));
        if (!entry) return refuse(404, 'no entry like that');
        const step = { state: 'humming', nextAction: 'hum', since: now() };
        if (entry.archived)
          return { status: 422, body: { ...step, queued: false, canStep: false, error: 'it is archived' } };
        if (entry.stepping)
          return { status: 200, body: { ...step, queued: false, canStep: false, reason: 'one at a time' } };
        Object.defineProperty(entry, 'stepping', { value: true });
        return { status: 201, body: { ...step, queued: true, canStep: true } };
      }),
    },
  ];
}

function listEntries(list: List, { query, options }: Call): Answer {
  const limit = query.has('limit') ? Number(query.get('limit')) : 25;
  const offset = Number(query.get('offset') ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500 || !(offset >= 0)) return refuse(422, 'bad paging');
  const search = query.get('search')?.toLowerCase() ?? '';
  const facets = new Map<string, string[]>();
  for (const [key, value] of query) {
    const slug = /^filter\[(.+)\]$/.exec(key)?.[1] ?? /^filter\.(.+)$/.exec(key)?.[1];
    if (slug !== undefined) facets.set(slug, [...(facets.get(slug) ?? []), value]);
  }
  const archived = (entry: Entry) => {
    if (query.get('archivedOnly') === 'true') return entry.archived;
    return query.get('archived') === 'true' || !entry.archived;
  };
  const found = list.entries.filter(
    (entry) =>
      archived(entry) &&
      entry.title.toLowerCase().includes(search) &&
      [...facets].every(([slug, values]) =>
        [entry.values[slug]].flat().some((value) => values.includes(String(value))),
      ),
  );
  // Newest first, and never the total: it is sent only where withTotal is documented to, in no saved view.
  const page = found.toReversed().slice(offset, offset + Math.min(limit, options.maxEntries ?? 60));
  return { status: 200, body: page };
}

/** Options go only by id: a label is refused. */
function badValues(list: List, values: unknown): Answer | undefined {
  for (const [slug, value] of Object.entries((values ?? {}) as Record<string, unknown>)) {
    const attribute = list.attributes.find((own) => own.slug === slug);
    if (!attribute) return refuse(422, `no attribute ${slug}`, { slug });
    const ids = attribute.config?.options?.map(({ id }) => id) ?? [];
    const wrong = [value].flat().find((id) => id !== null && !ids.includes(String(id)));
    if (withOptions.includes(attribute.attribute_type) && wrong !== undefined) return refuse(422, `no option ${wrong}`);
  }
  return undefined;
}

function same(a: string, b: unknown): boolean {
  return typeof b === 'string' && a.toLowerCase() === b.toLowerCase();
}
