import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Database, isDatabaseUnavailable } from '@holdfast/data';
import { CLOCK, OutboundError, type Clock } from '@holdfast/platform';
import { CONFIG, Interval } from '@holdfast/service';
import { consistencyProof, FormatError } from '@holdfast/tlog';
import { SignedLogs } from '../append/changed-logs.js';
import type { AuditConfig } from '../config.js';
import { Cosignatures, type DueLog } from '../transparency/cosignatures.js';
import { TreeReader } from '../transparency/tree.js';
import { CosigningSchedule } from './cosigning-schedule.js';
import { WitnessClient } from './witness-client.js';
import type { Witness } from './witness.js';

const intervalMs = 2000;
/** A log that grows is submitted once in this time; witnesses of the public limit how often. */
const pauseMs = 60_000;
const batchSize = 50;
/** A slow witness must not keep a run from ending: the interval waits for all of them. */
const runMs = 10_000;
/** After a request without an answer. Its logs would fail one after the other. */
const unreachableMs = 60_000;

const requests = new Counter({
  name: 'holdfast_audit_cosignature_requests_total',
  help: 'Checkpoints that were submitted to witnesses, by outcome',
  labelNames: ['outcome'],
});

/** Has the configured witnesses cosign the checkpoints of logs that have grown, each log about once a minute. */
@Injectable()
export class CosigningWorker {
  private readonly logger = new Logger('witnesses');
  private readonly schedules: { witness: Witness; schedule: CosigningSchedule }[];
  /** By the name of the witness, in performance.now(). */
  private readonly unreachableUntil = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly cosignatures: Cosignatures,
    private readonly client: WitnessClient,
    signedLogs: SignedLogs,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) { AUDIT_WITNESSES }: Pick<AuditConfig, 'AUDIT_WITNESSES'>,
  ) {
    this.schedules = AUDIT_WITNESSES.map((witness) => ({
      witness,
      schedule: new CosigningSchedule(signedLogs.consumer()),
    }));
  }

  @Interval({ name: 'cosignatures', intervalMs, failure: 'Failed to have checkpoints cosigned' })
  async cosign(stopping: () => boolean): Promise<void> {
    await Promise.all(this.schedules.map(({ witness, schedule }) => this.cosignBy(witness, schedule, stopping)));
  }

  private async cosignBy(witness: Witness, schedule: CosigningSchedule, stopping: () => boolean): Promise<void> {
    const { name } = witness.key;
    schedule.add(await schedule.signedLogs.take(async (orgs) => orgs ?? (await this.cosignatures.behind(name))));
    const endsAt = performance.now() + runMs;
    const mayContinue = () =>
      !stopping() && performance.now() < endsAt && performance.now() >= (this.unreachableUntil.get(name) ?? 0);
    while (mayContinue()) {
      const now = this.clock.now();
      const orgs = schedule.next(batchSize, now, pauseMs);
      if (orgs.length === 0) return;
      const { behind, claimed } = await this.cosignatures.claimDue(name, orgs, now, pauseMs);
      for (const org of orgs) if (!behind.has(org)) schedule.delete(org);
      for (const log of claimed) {
        if (!mayContinue()) return;
        await this.submit(log, witness);
      }
    }
  }

  private async submit(log: DueLog, witness: Witness): Promise<void> {
    const { name } = witness.key;
    try {
      const outcome = await this.submitFrom(log.seenSize, log, witness);
      requests.inc({ outcome });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      requests.inc({ outcome: 'failed' });
      const isUnreachable = error instanceof OutboundError && error.status === undefined;
      if (isUnreachable) this.unreachableUntil.set(name, performance.now() + unreachableMs);
      this.logger.warn(
        `The witness ${name} has not cosigned the log of ${log.org} and will be asked again in a minute: ` +
          (error instanceof OutboundError || error instanceof FormatError ? error.message : String(error)),
      );
    }
  }

  /** A witness that has seen another size than this service knows says so, and is asked once more. */
  private async submitFrom(seenSize: number, log: DueLog, witness: Witness, isRepeat = false): Promise<string> {
    const { org, size, note } = log;
    const { name } = witness.key;
    const read = new TreeReader(this.database).of(org);
    const proof = seenSize === 0 || seenSize === size ? [] : await consistencyProof(seenSize, size, read);
    const response = await this.client.submit(witness, { note, seenSize, proof });
    if ('cosignature' in response) {
      await this.cosignatures.store(log, name, response.cosignature.line);
      return 'cosigned';
    }
    const { seenSize: actual } = response;
    if (actual > size) {
      this.logger.error(
        `The witness ${name} has cosigned ${actual} entries of the log of ${org}, which has ${size}: entries are ` +
          'gone, or an older copy was restored. See "When a witness has seen more entries" in the runbook',
      );
      return 'ahead';
    }
    await this.cosignatures.storeSeen(org, name, actual);
    if (isRepeat || actual === seenSize) throw new FormatError('it reports a conflict again');
    return this.submitFrom(actual, log, witness, true);
  }
}
