import { Injectable } from '@nestjs/common';

/**
 * The logs to which this replica has appended since they were last signed. It is lost with the process: the publisher
 * then finds these logs in the database, as it finds those of other replicas.
 */
@Injectable()
export class GrownLogs {
  private orgs = new Set<string>();

  add(orgs: Iterable<string>): void {
    for (const org of orgs) this.orgs.add(org);
  }

  take(): Set<string> {
    const taken = this.orgs;
    this.orgs = new Set();
    return taken;
  }
}
