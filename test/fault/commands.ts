/** The commands that meet every fault, with what each is right to say beside the codes of a fault. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ids, uuid } from './honest.ts';

export interface Command {
  argv: string[];
  /** It may also end as: a write of several is partly done, a check is not passed. */
  also?: readonly number[];
  /** Faults that it cannot see: a count is the total that the server says. */
  blind?: RegExp;
  /** Fields by which it chooses: without them it ends with exit code 6. */
  needs?: readonly string[];
}

const command = (text: string, also: readonly number[] = []): Command => ({ argv: text.split(' '), also });
const list = ids.list;

export const commands: readonly Command[] = [
  command('lists list -o json'),
  command('lists get deals -o json'),
  command(`attrs list ${list} -o csv`),
  command(`entries list ${list} -o csv`),
  command(`entries list ${list} -o json --page-size 3`),
  command('entries list deals -o ndjson --limit 7'),
  { ...command(`entries count ${list}`), blind: /^a total that is too/ },
  { ...command(`entries count ${list} --filter stage=New`), blind: /^a total that is too/ },
  command(`entries get ${list} ${uuid(103)} -o json`),
  command('metrics live -o json'),
  command('metrics catalog -o csv'),
  command('metrics series -m mrr,arr --from 2024-01 --to 2024-10 -o csv'),
  command('metrics series -m mrr --from 2024-01 --to 2024-10 --shape long -o json'),
  command('metrics series --order asc -o json'),
  command('metrics get mrr --period 2024-03'),
  command('metrics growth -m mrr --from 2024-01 --to 2024-10 -o csv'),
  command('metrics gaps --from 2024-01 --to 2024-10 -o json', [1]),
  command('grants list -o json'),
  command(`grants get ${ids.grant} -o json`),
  command(`published get ${ids.company} -o json`),
  command(`published periods ${ids.company} -o csv`),
  command(`metrics prefs get --investor ${ids.investor} -o json`),
  command(`check entries ${list} --expect row(amount>=0)`, [1]),
  command(`api GET /api/lists/${list}/entries --paginate -o json`),
  { ...command('api GET /api/metrics/series -q periodType=month --paginate -o json'), blind: /^a period / },
  command(`entries create ${list} --title New -o json`),
  command(`entries update ${list} --where stage=New --set amount=5 --yes -o json`, [7]),
  command(`entries import ${list} rows.csv --key title --yes -o json`, [7]),
  command(`grants revoke ${uuid(41)} --yes -o json`, [3]),
  command(`entries dedupe ${list} --key title~ --yes -o json`, [7]),
  command('lists pull deals -o json'),
  command('metrics variance -m mrr --from 2024-01 --to 2024-10 -o csv'),
  command('metrics get mrr -o json'),
  command('grants expiring --within 90d -o json'),
  command('grants audit -o json', [1]),
  command('lists create New -o json'),
  command('lists from-template okrs -o json'),
  command(`lists update ${list} --name Other -o json`),
  command(`lists delete ${list} --yes -o json`),
  command(`attrs create ${list} Size --type number -o json`),
  command(`attrs update ${list} amount --name Sum -o json`),
  command(`attrs delete ${list} amount --yes -o json`),
  command(`entries delete ${list} ${uuid(103)} --yes -o json`, [7]),
  command(`entries step ${list} ${uuid(103)} -o json`, [7]),
  command(`grants create --recipient-company ${ids.investor} -m mrr --yes -o json`),
  command(`metrics prefs set --investor ${ids.investor} --requested arr --yes -o json`),
  { ...command('grants revoke --older-than 2024-06-01 --yes -o json', [3, 7]), needs: ['created_at'] },
  { ...command('grants revoke --metric mrr --yes -o json', [3, 7]), needs: ['metric_ids'] },
  { ...command('grants list --changed-since 2024-01-01 -o json'), needs: ['updated_at'] },
  { ...command(`entries list ${list} --changed-since 2024-01-01 -o json`), needs: ['updated_at'] },
  { ...command(`entries list ${list} --where created_at>=2024 -o json`), needs: ['created_at'] },
];

/** What the commands read from the folder in which they run. */
export function prepare(folder: string): void {
  writeFileSync(join(folder, 'rows.csv'), 'title,amount\nDeal 1,11\nAnother,3\nThird,4\n');
}
