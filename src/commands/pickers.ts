/** The choices for an argument that was left out, by its kind. */

import type { Context } from '../cli/context.ts';
import type { Choice } from '../cli/prompts.ts';
import { among } from '../cli/prompts.ts';
import type { Picker } from '../cli/tree.ts';
import { cachedNames } from '../config/companies.ts';
import { profileNames } from '../config/profile.ts';
import { listEntries } from '../contract/entry-operations.ts';
import { templateIds } from '../contract/lists.ts';
import { listGrants } from '../contract/metric-operations.ts';
import { inShort } from './grants/new-grant.ts';
import { companyLists, readList, resolveList } from './lists/read.ts';
import { catalogOf } from './metrics/read.ts';

/** The most entries that a search offers. */
const maxEntries = 50;

export const pickers: Readonly<Record<string, Picker>> = {
  async list(ctx) {
    const lists = await companyLists(ctx);
    const choices = lists.flatMap(({ id, name, slug, description }) =>
      id === undefined
        ? []
        : [{ value: id, name: name ?? slug ?? id, description: [slug, description].filter(Boolean).join(' · ') }],
    );
    const written = async (id: string) => {
      const slug = lists.find((list) => list.id === id)?.slug;
      const same = lists.filter((list) => list.slug === slug || list.name === slug);
      return slug && same.length === 1 ? slug : id;
    };
    return { message: 'List:', find: among(choices), written };
  },
  async attr(ctx, { LIST }) {
    const { list_attributes: attributes = [] } = await readList(ctx, String(LIST));
    const choices = attributes.flatMap(({ id, name, slug, attribute_type: type }) =>
      id === undefined ? [] : [{ value: id, name: name ?? slug ?? id, description: `${slug} · ${type}` }],
    );
    return { message: 'Attribute:', find: among(choices) };
  },
  async entry(ctx, { LIST }) {
    const { id: listId } = await resolveList(ctx, String(LIST));
    const client = await ctx.client();
    const titles = new Map<string, string>();
    const read = (text: string) => {
      const search = text === '' ? {} : { search: text };
      return client.call(listEntries, { params: { listId }, query: { archived: true, limit: maxEntries, ...search } });
    };
    const find = async (text: string) => {
      const entries = await read(text);
      for (const { id, title } of entries) if (id && title) titles.set(id, title);
      return entries.flatMap(({ id, title, archived }) =>
        id === undefined ? [] : [{ value: id, name: `${title ?? id}${archived ? ' (archived)' : ''}` }],
      );
    };
    const written = async (id: string) => {
      const title = titles.get(id);
      const same = title === undefined ? [] : (await read(title)).filter((entry) => entry.title === title);
      return same.length === 1 ? String(title) : id;
    };
    return { message: 'Entry (type to search):', find, written };
  },
  async grant(ctx) {
    const all = await (await ctx.client()).call(listGrants);
    const grants = [...all].sort((a, b) => Number(Boolean(a.revoked_at)) - Number(Boolean(b.revoked_at)));
    const choices = grants.flatMap((grant) =>
      grant.id === undefined
        ? []
        : [{ value: grant.id, name: inShort(ctx, grant), ...(grant.note && { description: grant.note }) }],
    );
    return { message: 'Grant:', find: among(choices) };
  },
  async metric(ctx) {
    const { definitions } = await catalogOf(ctx, ctx.company());
    const choices = definitions.map(({ metricId, label }) => ({
      value: metricId,
      name: metricId,
      ...(typeof label === 'string' && { description: label }),
    }));
    return { message: 'Metric:', find: among(choices) };
  },
  company: async (ctx) => ({ message: 'Company:', find: among(knownCompanies(ctx)) }),
  async alias({ settings }) {
    const choices = Object.entries(settings.aliases).map(([alias, id]) => ({
      value: alias,
      name: alias,
      description: id,
    }));
    return { message: 'Alias:', find: among(choices) };
  },
  async profile({ profiles }) {
    return { message: 'Profile:', find: among(profileNames(profiles).map((name) => ({ value: name, name }))) };
  },
  async template() {
    return { message: 'Template:', find: among(templateIds.map((id) => ({ value: id, name: id }))) };
  },
};

/** Companies with an alias, and those whose names are cached. */
function knownCompanies({ settings, folders }: Context): Choice[] {
  const { aliases, baseUrl } = settings;
  const named = Object.entries(aliases).map(([alias, id]) => ({ value: id, name: alias, description: id }));
  const known = new Set(Object.values(aliases));
  const others = Object.entries(cachedNames(folders, baseUrl.value)).flatMap(([id, { name }]) =>
    name === null || known.has(id) ? [] : [{ value: id, name, description: id }],
  );
  return [...named, ...others];
}
