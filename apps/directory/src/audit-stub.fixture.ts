import { Controller, Module } from '@nestjs/common';
import { recordReading, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError, type BaseConfig } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';

/** What audit was told that the operator read: whose, what, and of which app. */
export const told = { away: false, read: [] as string[] };

@Controller()
class Audit {
  @Handles(recordReading)
  async read(
    { action, targets }: RequestOf<typeof recordReading>,
    { org }: RequestContext,
  ): Promise<Record<string, never>> {
    if (told.away) throw new AppError('unavailable');
    told.read.push([org, action, ...targets.map((t) => t.id)].join(' '));
    return {};
  }
}
@Module({ controllers: [Audit] })
class AuditModule {}

export function startAuditStub(config: BaseConfig, nkeySeed: string): Promise<RunningService> {
  return startService({ service: 'audit', config: { ...config, NATS_NKEY_SEED: nkeySeed }, module: AuditModule });
}
