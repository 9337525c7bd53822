/** Columns of several options: a statement that compares one of them with an option gets a warning. */
import { describe, expect, it } from 'vitest';
import { run } from '../../helpers/run.ts';
import { sqlEngine } from '../../helpers/sql-engine.ts';

async function warned(statement: string, ...flags: string[]): Promise<[code: number, stderr: string]> {
  const { code, stderr } = await run(['sql', statement, '-o', 'csv', ...flags], {
    sqlEngine: await sqlEngine(),
  });
  return [code, stderr.trim()];
}

const says = (value: string, written = `'${value}'`) =>
  `comem: warning: deal_pipeline.tags is a JSON array of options, which never equals "${value}": write exists (select 1 from json_each(tags) where value = ${written})`;

describe('a statement that compares several options with one', () => {
  it.each([
    ["select title from deal_pipeline where tags = 'AI'", says('AI')],
    ["select title from deal_pipeline d where 'ai' == d.Tags", says('ai')],
    ["select count(*) from deal_pipeline where stage = 'Passed' and tags is not 'B2B'", says('B2B')],
    ["select count(*) from deal_pipeline where tags <> 'AI'", says('AI')],
    ["select count(*) from deal_pipeline where tags in ('none', 'AI')", says('AI')],
    ["select count(*) from deal_pipeline where tags not in ('a', 'b', 'Hardware', 'c')", says('Hardware')],
    ["with d as (select tags as t from deal_pipeline) select count(*) from d where t = 'AI'", says('AI')],
    ["select case tags when 'AI' then 1 end as x from deal_pipeline limit 1", says('AI')],
    ["explain select title from deal_pipeline where tags = 'AI'", says('AI')],
  ])('%s', async (statement, expected) => {
    expect(await warned(statement)).toEqual([0, expected]);
  });

  it('says it once, and names the parameter', async () => {
    const statement = 'select count(*) from deal_pipeline where tags = :tag or tags = :tag';
    expect(await warned(statement, '--param', 'tag=AI')).toEqual([0, says('AI', ':tag')]);
  });

  it.each([
    "select count(*) from deal_pipeline where exists (select 1 from json_each(tags) where value = 'AI')",
    "select count(*) from deal_pipeline, json_each(tags) as tags where tags.value = 'AI'",
    'select count(*) from deal_pipeline where tags = \'["AI"]\'',
    "select count(*) from deal_pipeline where tags like '%AI%'",
    "select count(*) from deal_pipeline where stage = 'AI' or title in ('AI', 'B2B', 'Hardware')",
    "select count(*) from (select title as tags from deal_pipeline) where tags = 'AI'",
    "select count(*) from deal_pipeline where substr(tags, 3, 2) = 'Al' or tags = 'no option'",
  ])('is silent about %s', async (statement) => {
    expect(await warned(statement)).toEqual([0, '']);
  });

  it('finds with what the warning says what the list has', async () => {
    const where = "exists (select 1 from json_each(tags) where value = 'AI')";
    const own = await run(['sql', `select count(*) as n from deal_pipeline where ${where}`], {
      sqlEngine: await sqlEngine(),
    });
    const same = await run(['entries', 'count', 'deal-pipeline', '--where', 'tags has AI']);
    expect(own.stdout).toBe(`n\n${same.stdout}`);
    expect(Number(same.stdout)).toBeGreaterThan(0);
  });

  it('could have seen it in the schema', async () => {
    const { stdout } = await run(['sql', '--schema', 'deal_pipeline', '--fields', 'column,holds', '-o', 'csv']);
    expect(stdout).toMatch(/^tags,list$/m);
    expect(stdout).toMatch(/^stage,text$/m);
  });
});
