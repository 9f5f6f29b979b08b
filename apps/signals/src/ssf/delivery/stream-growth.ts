import { Injectable } from '@nestjs/common';
import { streamGrowthSubject } from '@holdfast/contracts';
import { Bus, publishHint } from '@holdfast/messaging';

/** As many as streamGrowthSchema accepts. */
const maxOrganizations = 500;

/** Hints to gateways that hold polls. */
@Injectable()
export class StreamGrowth {
  constructor(private readonly bus: Bus) {}

  announce(orgs: Iterable<string>): void {
    const all = [...orgs];
    for (let from = 0; from < all.length; from += maxOrganizations)
      publishHint(this.bus.connection, streamGrowthSubject, all.slice(from, from + maxOrganizations));
  }
}
