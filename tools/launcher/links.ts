import { SeverableLink } from '../infra/severable-link.ts';
import type { Addresses } from './service-env.ts';

/** The addresses for one process; with its links to the servers, if these can be cut. */
export type LinkedAddresses = Addresses & { links?: SeverableLink[] };

/** The same servers, through links of this process alone. */
export async function throughLinks(addresses: Addresses): Promise<LinkedAddresses> {
  const [nats, database] = [new URL(addresses.natsUrl), new URL(addresses.databaseUrl)];
  const links = await Promise.all([
    SeverableLink.to(nats.hostname, Number(nats.port || 4222)),
    SeverableLink.to(database.hostname, Number(database.port || 5432)),
  ]);
  const through = (link: SeverableLink, url: string): string =>
    Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(link.port) }).href;
  const toDatabase = (url: string): string => through(links[1], url);
  const { natsUrl, databaseUrl, databaseUrls } = addresses;
  return {
    ...addresses,
    natsUrl: through(links[0], natsUrl).replace(/\/$/, ''),
    databaseUrl: toDatabase(databaseUrl),
    // All are on the same server.
    ...(databaseUrls && {
      databaseUrls: Object.fromEntries(Object.entries(databaseUrls).map(([name, url]) => [name, toDatabase(url)])),
    }),
    links,
  };
}
