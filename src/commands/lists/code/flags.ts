/** The flags of lists as code, apart from the code that loads on demand. */
import { flag } from '../../../cli/define.ts';

export const folderFlag = { dir: flag.text('DIR', 'folder of the list files; default: lists', { short: 'd' }) };

/** The default of -d. */
export const defaultFolder = 'lists';

export const planFlags = {
  by: flag.text('id|slug', 'slug: match by slug, options by label, for files of another profile', {
    choices: ['id', 'slug'],
    also: { 'by-slug': 'slug' },
  }),
};

export const copyFlags = {
  toProfile: flag.text('PROFILE', 'the profile that gets the copy', { required: true, picker: 'profile' }),
  toCompany: flag.text('ID|ALIAS', "the company that gets it; default: that profile's", { hidden: true }),
  name: flag.text('NAME', "name of the copy; default: the list's"),
  all: flag.boolean('copy the entries too, including archived ones', { also: { 'with-entries': '' } }),
  resume: flag.boolean('continue an interrupted copy: write only what is missing'),
  dropRemoved: flag.boolean('leave out values whose option or attribute no longer exists', { hidden: true }),
};
