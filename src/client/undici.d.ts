/** A public class of undici, loaded without its index (see `network.ts`). */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
