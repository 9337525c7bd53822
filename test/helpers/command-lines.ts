/** One line of every command that sends something; each succeeds against `cannedApi`. */
import { demo } from '../../src/core/demo.ts';
import { ids } from './canned-api.ts';

const { lumen } = demo.companies;
const rows = 'title,stage\nAcme,Won\nNova,Lead\n';

interface CommandLine {
  argv: readonly string[];
  stdin?: string;
}

const line = (text: string, stdin?: string): CommandLine => ({
  argv: text.split(' ').map((word) => word.replaceAll('~', ' ')),
  ...(stdin === undefined ? {} : { stdin }),
});

/** `~` is a blank within a word. */
export const commandLines: readonly CommandLine[] = [
  line('lists list'),
  line('lists list --search deal -o csv'),
  line('lists get deals'),
  line('lists create Deals --description all'),
  line('lists create Deals --if-not-exists -o id'),
  line('lists update deals --name Funds'),
  line('lists delete deals --yes'),
  line('lists from-template okrs --name Goals'),
  line('lists pull -d pulled'),
  line('lists diff deals demo:other'),
  line('lists copy deals --name Copied --with-entries --to-profile demo --yes'),
  line('lists plan -d code'),
  line('lists apply -d code --yes'),
  line('attrs list deals'),
  line('attrs create deals Owner --type text'),
  line('attrs create deals Phase --type select --option Open --option Done'),
  line('attrs update deals stage --name Phase'),
  line('attrs update deals stage --add-option Lost'),
  line('attrs delete deals stage --yes'),
  line('entries list deals -o csv'),
  line('entries list deals -o table --filter stage=Won'),
  line('entries list deals -o json --limit 1'),
  line('entries get deals Acme'),
  line('entries count deals'),
  line('entries summarize deals --by stage'),
  line('entries create deals --title Acme --set stage=Won --set amount=12.5'),
  line('entries update deals Acme --set stage=Lead'),
  line('entries update deals --where stage~=~Won --set stage=Lead --yes'),
  line('entries archive deals Acme'),
  line('entries archive deals Acme Nova --yes'),
  line('entries unarchive deals Acme Nova --yes'),
  line('entries dedupe deals --key title --yes'),
  line('entries delete deals Acme --yes'),
  line('entries delete deals --where updated_at~>=~2020 --yes'),
  line('entries step deals Acme'),
  line('entries import deals - --yes', rows),
  line('entries import deals - --mode insert --yes', 'title,stage\nNew,Won\n'),
  line('entries import deals - --mode sync --prune --yes', rows),
  line('metrics live'),
  line('metrics catalog'),
  line('metrics series -m mrr,arr --last 3 -o csv'),
  line('metrics series -m mrr --last 3 --shape long -o ndjson'),
  line('metrics series -m mrr --last 2q -o csv'),
  line('metrics series -m mrr --last 3 --fill prev -o json'),
  line('metrics get mrr'),
  line('metrics growth -m mrr --last 3'),
  line('metrics gaps -m mrr --last 3'),
  line('metrics gaps -m mrr --last 3 --stale-after 9999'),
  line('metrics variance -m mrr --period 2026-01'),
  line('metrics board -m mrr --last 2q'),
  line('metrics bridge -m mrr --from 2025-11 --to 2026-01'),
  line('metrics table -m mrr --last 3'),
  line('metrics chart -m mrr --last 3'),
  line(`metrics prefs get --investor ${ids.investor}`),
  line(`metrics prefs set --investor ${ids.investor} --requested arr`),
  line('grants list'),
  line('grants list --expired -o csv'),
  line(`grants get ${ids.grant}`),
  line(`grants create --recipient-company ${ids.other} -m mrr --expires 2030-01-01`),
  line(`grants revoke ${ids.grant} --yes`),
  line('grants revoke --older-than 1d --yes'),
  line('grants audit'),
  line('grants matrix -m mrr'),
  line('grants expiring --within 90d'),
  line(`published get ${lumen}`),
  line(`published get ${lumen} -o csv`),
  line(`published periods ${lumen}`),
  line(`published diff ${lumen}`),
  line(`published report ${lumen} --out report.html`),
  line('check entries deals --expect count~>=~1 --expect unique(title) --expect valid()'),
  line('check entries deals --expect updated_at~within~3650d'),
  line('check -f checks.yaml'),
  line('check init deals'),
  line('api GET /api/lists'),
  line('api GET /api/metrics/grants --resource MetricGrant -o csv'),
  line('api POST /api/lists -f name=Deals --yes'),
  line(`api GET /api/lists/${ids.list}/entries --paginate`),
  line('mirror sync mirror'),
  line('auth status --check'),
  line('doctor'),
];

/** Files that the lines name, for the folder they run in. */
export const commandFiles: Readonly<Record<string, string>> = {
  'code/deals.yaml': [
    `id: ${ids.list}`,
    'slug: deals',
    'name: Funds',
    'attributes:',
    `  - {id: ${ids.attribute}, slug: stage, name: Phase, type: select, options: [{id: o1, label: Won}, {label: Lost}]}`,
    '  - {slug: size, name: Size, type: number}',
    '',
  ].join('\n'),
  'checks.yaml': [
    'version: 1',
    'checks:',
    '  - list: deals',
    '    expect: [count >= 1, required(stage), "sum(amount) >= 0"]',
    '  - metrics: live',
    '    expect: ["no_gaps(mrr)", "catalog(mrr)"]',
    '  - grants: all',
    '    expect: [none_expired_active, expiry_set]',
    '',
  ].join('\n'),
};
