/** The flags of lists as code, apart from the code that loads on demand. */
import { flag } from '../../../cli/define.ts';

export const folderFlag = {
  dir: flag.text('DIR', 'folder of the list files; default: lists', { short: 'd' }),
};

/** The default of -d. */
export const defaultFolder = 'lists';

export const planFlags = {
  bySlug: flag.boolean('match by slug, options by label: files of another profile'),
};

export const copyFlags = {
  toProfile: flag.text('PROFILE', 'the profile that gets the copy', { required: true, asks: 'profile' }),
  toCompany: flag.text('ID|ALIAS', "the company that gets it; default: that profile's"),
  name: flag.text('NAME', "name of the copy; default: the list's"),
  withEntries: flag.boolean('copy the entries too, including archived ones'),
  resume: flag.boolean('continue an interrupted copy: write only what is missing'),
  dropRemoved: flag.boolean('leave out values whose option or attribute no longer exists'),
  concurrency: flag.integer('N', 'requests in flight at once; default 4', { minimum: 1, maximum: 64 }),
};
