/** Words of headings: one meaning, one heading, in all results. */
export const glossary = new Set(
  `%|90% left (days)|90% left after|Action|Actual|Added|After|Against|Aggregation|Alias|Already|Archived|At
Attribute|Attributes|Base URL|Basis|Before|Budget|Cadence|CAGR|Can step|Card pages|Change|Changed|Check|Color
Column|Command|Companies|Company|Company ID|Config|Context type|Count|Created|Created by|Currency|Current|Custom
Days|Default|Deleted|Description|Detail|Difference|Direction|Entered|Entity type|Entries|Error|Expires|Failed
Field|File|Finding|Fiscal years from month|Found|From|Grain|Grant|Granted|Granted by|Group|Half left (days)
Half left after|History|Holds|Icon|ID|IDs|Impact|Into|Investor|Kind|Kind of recipient|Label|Left|List
List attributes|Mean of ended (days)|Metric|Metrics|Months|N|Name|Network|Next action|Not before|Not tried|Note
Now|Options|Origin|Outcome|Over|Part|Period|Periods|Position|Published|Queued|Rate|Read|Readable since|Reason
Recipient|Report|Requested metrics|Required|Revoked|Revoked by|Rows|Rule|Running total|Scope|Seen|Sent|Setting
Since|Skipped|Slug|Source|Stage|Stage ID|Stale|State|Status|Step|Still|System|Table|Table columns|Target
Template|Then|Title|To|To next|To user|Trend|Type|Unchanged|Undo|Unit|Unit label|Units|Until|Updated|Usual|Value
Value semantics|Values|Verdict|Version|Versions|What|What to do|When|Where|Why not|Write|Written|Δ m/m|Δ q/q
Δ y/y`.split(/[|\n]/),
);
