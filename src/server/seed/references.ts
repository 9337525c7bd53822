/** The companies and users that a seed refers to: from name to id when it is loaded, from id to name when it is dumped. */
import { isUuid } from '../../contract/validate.ts';
import type { Failure } from '../../core/errors.ts';
import { freeSlug, slugOf } from '../model/names.ts';
import type { Db } from '../store/schema.ts';

interface Company {
  id: string;
  currency: string;
}

/** Companies by slug, id or name and users by email, of the seed and of the database, whose slugs are those of a dump. */
export class References {
  private readonly companies = new Map<string, Company[]>();
  private readonly users = new Map<string, string>();

  constructor(private readonly fail: (path: string, message: string) => Failure) {}

  async addStored(db: Db): Promise<void> {
    for (const { id, name, currency, slug } of await sluggedCompanies(db)) {
      this.nameCompany([...new Set([id, name, slug])], { id, currency });
    }
    for (const { id, email } of await db.selectFrom('users').select(['id', 'email']).execute()) {
      this.users.set(email, id);
    }
  }

  /** The slug of the seed takes precedence over names in the database. */
  addCompany(slug: string, name: string, company: Company): void {
    this.nameCompany([company.id, name], company);
    this.companies.set(slug, [company]);
  }

  addUser(email: string, id: string): void {
    this.users.set(email, id);
  }

  company(path: string, text: string): string {
    const matches = this.companies.get(text) ?? [];
    const [company] = matches;
    if (!company) throw this.fail(path, `names the company ${text}, which is in neither the file nor the database`);
    if (matches.length > 1) {
      const ids = matches.map(({ id }) => id).join(', ');
      throw this.fail(path, `names ${text}, the name of ${matches.length} companies; use one of their ids: ${ids}`);
    }
    return company.id;
  }

  /** Like `company`, but accepts an unknown id: a recipient may be on another server. */
  recipient(path: string, text: string): string {
    return isUuid(text) && !this.companies.has(text) ? text.toLowerCase() : this.company(path, text);
  }

  /** An unknown id is accepted: the author may be gone. */
  user(path: string, email: string): string {
    const id = this.users.get(email) ?? (isUuid(email) ? email.toLowerCase() : undefined);
    if (id === undefined) throw this.fail(path, `names the user ${email}, who is in neither the file nor the database`);
    return id;
  }

  /** The currency of a company that `company` found. */
  currency(id: string): string | undefined {
    return this.companies.get(id)?.[0]?.currency;
  }

  private nameCompany(names: readonly string[], company: Company): void {
    for (const name of names) {
      const others = (this.companies.get(name) ?? []).filter(({ id }) => id !== company.id);
      this.companies.set(name, [...others, company]);
    }
  }
}

/** The names of companies and users in a dump. */
export interface Names {
  company(id: string): string;
  /** The email; the id of a user who is gone. */
  user(id: string): string;
}

async function sluggedCompanies(db: Db) {
  const taken = new Set<string>();
  const companies = await db.selectFrom('companies').select(['id', 'name', 'currency']).orderBy('id').execute();
  return companies.map((company) => {
    const slug = freeSlug(slugOf(company.name, 'company'), taken);
    taken.add(slug);
    return { ...company, slug };
  });
}

export async function readNames(db: Db): Promise<Names> {
  const slugs = new Map((await sluggedCompanies(db)).map(({ id, slug }) => [id, slug]));
  const users = await db.selectFrom('users').select(['id', 'email']).execute();
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return { company: (id) => slugs.get(id) ?? id, user: (id) => emails.get(id) ?? id };
}
