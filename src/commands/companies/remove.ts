import { defineCommand } from '../../cli/define.ts';
import { suggestAlias } from '../../config/companies.ts';
import { companiesOf } from '../../config/profile.ts';
import { Failure, usage } from '../../core/errors.ts';
import { editCurrent } from './groups.ts';

export default defineCommand({
  path: 'companies remove',
  summary: 'Remove a company alias',
  description: 'The company itself does not change. If it is the default company, it stays so.',
  args: [{ name: 'ALIAS', summary: 'the alias', picker: 'alias' }],
  examples: {
    'comem -p demo companies remove acme': 'remove the alias acme',
    'comem -p demo companies remove acme && comem -p demo companies list': 'and see which are left',
    'comem companies remove acme': 'of the profile that is in use',
  },
  stdout: 'nothing',
  async run(ctx, { args: { ALIAS: alias } }) {
    await editCurrent(ctx, ({ companies = {} }, name) => {
      if (!Object.hasOwn(companies, alias)) {
        if (Object.hasOwn(companiesOf(undefined, name), alias)) {
          throw usage(`the alias "${alias}" of the profile "${name}" is built in and cannot be removed`);
        }
        const known = Object.keys(companies).sort();
        const hint = known.length
          ? `${suggestAlias(alias, known)}its aliases are ${known.join(', ')}`
          : 'it has no aliases';
        throw new Failure('notFound', `profile "${name}" has no company alias "${alias}"`, { hint });
      }
      delete companies[alias];
    });
    ctx.out.note(`Removed the alias "${alias}" from profile "${ctx.settings.profile.value}".`);
  },
});
