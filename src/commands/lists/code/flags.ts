/** The flags of lists as code, apart from the work, which loads when it runs. */
import { flag } from '../../../cli/define.ts';

export const folderFlag = {
  dir: flag.text('DIR', 'folder of the list files; default: lists', { short: 'd' }),
};

/** Where no -d is given. */
export const defaultFolder = 'lists';

export const planFlags = {
  bySlug: flag.boolean('know lists and attributes by slug and options by label: for files of another profile'),
};

export const copyFlags = {
  toProfile: flag.text('PROFILE', 'the profile that gets the copy', { required: true }),
  toCompany: flag.text('ID|ALIAS', "the company that gets it; default: that profile's"),
  name: flag.text('NAME', "name of the copy; default: the list's"),
  withEntries: flag.boolean('copy the entries too, archived ones as well'),
  resume: flag.boolean('go on with a copy that was broken off: only what is not there yet is written'),
  dropRemoved: flag.boolean('leave out values whose option or attribute is not there any more'),
  concurrency: flag.integer('N', 'entries on their way at once (4)', { minimum: 1, maximum: 64 }),
};
