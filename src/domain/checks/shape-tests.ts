/** Expectations about the shape of a list: that it exists, its attributes, their types and options. */
import { attributeTypes } from '../../contract/lists.ts';
import { usage } from '../../core/errors.ts';
import { type Attribute, optionsOf } from '../entries/options.ts';
import { type Call, refuseTail } from './grammar.ts';
import type { ListFacts, ListTest, TestMaker } from './list-test.ts';
import type { Outcome } from './model.ts';

const at = (status: Outcome['status'], observed: string, threshold: string): ListTest => ({
  rowless: 'list',
  finish: () => ({ status, observed, threshold, failed: 0, findings: [] }),
});

/** A list that does not exist never comes here: the run reports that itself, as a failure of `exists`. */
const exists: TestMaker = (call) => {
  if (call.args.length > 0 || call.tail) throw usage(`"${call.text}": exists takes nothing after it`);
  return at('pass', 'exists', 'exists');
};

/** `attributes(a, b, c)`: these slugs and no others, in any order. */
const attributes: TestMaker = (call, facts) => {
  refuseTail(call);
  const wanted = call.args.map((argument) => argument.text);
  if (wanted.length === 0) throw usage(`"${call.text}": attributes needs the slugs`);
  const found = facts.attributes.flatMap(({ slug }) => slug ?? []);
  const missing = wanted.filter((slug) => !found.includes(slug));
  const extra = found.filter((slug) => !wanted.includes(slug));
  const says = [
    missing.length > 0 ? `missing ${missing.join(', ')}` : '',
    extra.length > 0 ? `not expected ${extra.join(', ')}` : '',
  ].filter(Boolean);
  return at(says.length === 0 ? 'pass' : 'fail', says.join('; ') || found.join(', '), wanted.join(', '));
};

/** `attribute(stage, select, "Lead", "Won")`: it exists, has the type, and exactly these options when some are named. */
const attribute: TestMaker = (call, facts) => {
  refuseTail(call);
  const [slug, type, ...options] = call.args.map((argument) => argument.text);
  if (slug === undefined) throw usage(`"${call.text}": attribute needs a slug`);
  if (type !== undefined && !(attributeTypes as readonly string[]).includes(type)) {
    throw usage(`"${call.text}": ${type} is not an attribute type; the types are ${attributeTypes.join(', ')}`);
  }
  const threshold = [slug, type ?? 'of any type', ...(options.length > 0 ? [`with ${options.join(', ')}`] : [])].join(
    ' ',
  );
  const found = facts.attributes.find((candidate) => candidate.slug === slug);
  if (!found) return at('fail', `no attribute ${slug}`, threshold);
  const wrong = [
    type !== undefined && found.attribute_type !== type ? `is ${found.attribute_type}` : '',
    options.length > 0 ? optionsDiffer(found, options) : '',
  ].filter(Boolean);
  return at(wrong.length === 0 ? 'pass' : 'fail', wrong.join('; ') || described(found), threshold);
};

function optionsDiffer(found: Attribute, wanted: readonly string[]): string {
  const labels = (optionsOf(found) ?? []).map(({ label, id }) => label ?? id ?? '');
  const missing = wanted.filter((label) => !labels.includes(label));
  const extra = labels.filter((label) => !wanted.includes(label));
  return [
    missing.length > 0 ? `without option ${missing.join(', ')}` : '',
    extra.length > 0 ? `with unexpected option ${extra.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('; ');
}

function described(found: Attribute): string {
  const labels = (optionsOf(found) ?? []).map(({ label, id }) => label ?? id ?? '');
  return [`${found.slug} ${found.attribute_type}`, ...(labels.length > 0 ? [`with ${labels.join(', ')}`] : [])].join(
    ' ',
  );
}

export const shapeTests: Record<string, (call: Call, facts: ListFacts, names: readonly string[]) => ListTest> = {
  exists,
  attributes,
  attribute,
};
