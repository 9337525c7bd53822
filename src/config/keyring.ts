/** The keyring of the operating system. The only importer of @napi-rs/keyring. */
import { platform } from 'node:os';

export interface Keyring {
  get(account: string): string | undefined;
  set(account: string, secret: string): void;
  delete(account: string): void;
}

const service = 'comem';

/**
 * Loads the keyring; its methods throw where there is none that works. On Linux the Secret Service alone counts: the
 * kernel's own keyring forgets at logout, so a secret "saved" there would be lost without a word.
 */
export async function openKeyring(): Promise<Keyring> {
  const { Entry } = await import('@napi-rs/keyring');
  const options = platform() === 'linux' ? { linux: { store: 'secret-service' as const } } : undefined;
  const entry = (account: string) => new Entry(service, account, options);
  return {
    get: (account) => entry(account).getPassword() ?? undefined,
    set: (account, secret) => {
      entry(account).setPassword(secret);
      if (entry(account).getPassword() !== secret) throw new Error('it did not give back what was put in');
    },
    delete: (account) => {
      entry(account).deletePassword();
    },
  };
}
