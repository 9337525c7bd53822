/** Names of people, firms and start-ups that do not exist. */
import type { Random } from './random.ts';

const first =
  'Ada Amara Anders Aisha Beatriz Ben Camille Chen Clara Dario Deepa Elena Emeka Erik Farah Felix Grace Hana Hugo Ines Ivan Jamal Jonas Julia Kaito Karim Laila Leo Lucia Mateo Maya Mei Nadia Nikhil Nora Olga Omar Pia Priya Rafael Rosa Samir Sofia Tariq Tess Uma Victor Wanjiru Yara Zoe'.split(
    ' ',
  );
const last =
  'Abebe Almeida Andersson Banerjee Becker Bianchi Castillo Chowdhury Costa Dubois Eriksen Fischer Fontaine Garcia Haddad Hoffmann Ibrahim Ivanova Jensen Kaplan Kim Kowalski Kumar Larsen Laurent Lindqvist Lopez Mbeki Meyer Moreau Nakamura Nguyen Novak Okafor Okoye Olsen Park Petrov Rahman Rossi Santos Schmidt Sharma Silva Tanaka Torres Vargas Weber Yilmaz Zhang'.split(
    ' ',
  );
const heads =
  'Acorn Alta Amber Anchor Arbor Atlas Aura Beacon Birch Bluefin Brisk Cascade Cinder Clover Cobalt Copper Coral Crest Delta Drift Echo Ember Fable Falcon Fern Flint Forge Garnet Glide Grove Halo Haven Hazel Indigo Iris Juniper Kestrel Kite Lark Linden Lucid Maple Marlin Meadow Mica Mosaic Nimbus Nova Oak Onyx Opal Orbit Osprey Parcel Pebble Pine Prairie Prism Quarry Raven Reef Ridge River Sable Saffron Sage Signal Slate Solstice Sparrow Spruce Summit Swift Tandem Thistle Tide Timber Topaz Tundra Umber Vale Vector Velvet Vista Walnut Willow Wren Zephyr'.split(
    ' ',
  );

/** What a company of each sector calls itself after its head. */
const tails: Readonly<Record<string, readonly string[]>> = {
  'Business software': ['Cloud', 'Desk', 'Flow', 'HQ', 'Ops', 'Suite', 'Works'],
  Fintech: ['Capital', 'Ledger', 'Pay', 'Treasury', 'Vault', 'Money'],
  'Digital health': ['Bio', 'Care', 'Clinic', 'Health', 'Rx', 'Therapeutics'],
  'Developer tools': ['Build', 'CI', 'Data', 'Dev', 'Labs', 'Stack'],
  Climate: ['Carbon', 'Energy', 'Grid', 'Power', 'Solar', 'Storage'],
  Robotics: ['Automation', 'Dynamics', 'Machines', 'Motion', 'Robotics'],
  Education: ['Academy', 'Campus', 'Learning', 'School', 'Tutor'],
  Security: ['Guard', 'Identity', 'Secure', 'Shield', 'Trust'],
  Logistics: ['Cargo', 'Fleet', 'Freight', 'Logistics', 'Route'],
  Consumer: ['Goods', 'Home', 'Kitchen', 'Market', 'Social', 'Travel'],
};

export const sectors = Object.keys(tails);

interface Person {
  name: string;
  /** Without a domain: `ada.costa`. */
  account: string;
}

/** Gives names that were not given before. */
export class Names {
  private readonly given = new Set<string>();

  constructor(private readonly random: Random) {}

  person(): Person {
    const name = this.unique(() => `${this.random.pick(first)} ${this.random.pick(last)}`);
    return { name, account: name.toLowerCase().replace(' ', '.') };
  }

  company(sector: string): { name: string; domain: string } {
    const name = this.unique(() => `${this.random.pick(heads)} ${this.random.pick(tails[sector] ?? ['Labs'])}`);
    return { name, domain: `${name.toLowerCase().replace(' ', '')}.example` };
  }

  private unique(make: () => string): string {
    for (;;) {
      const name = make();
      if (this.given.has(name)) continue;
      this.given.add(name);
      return name;
    }
  }
}
