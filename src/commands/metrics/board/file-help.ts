/** The file of `--comments` in help and in the man page. */

export const commentsHelp = [
  'The file is a list. Each comment has `metric` (the id), `period` (2025-Q4) and `text`, and with several companies `company` (an alias, a name or an id): `- {metric: burn, period: 2025-Q4, company: lumen, text: Two hires came early}`.',
];
