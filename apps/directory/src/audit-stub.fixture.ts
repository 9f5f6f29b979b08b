import { Controller, Module } from '@nestjs/common';
import { recordOperatorRead, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError, type BaseConfig } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';

/** The reads of the operator that audit recorded: organization, action and app. */
export const auditStub = { unavailable: false, reads: [] as string[] };

@Controller()
class Audit {
  @Handles(recordOperatorRead)
  async read(
    { action, targets }: RequestOf<typeof recordOperatorRead>,
    { org }: RequestContext,
  ): Promise<Record<string, never>> {
    if (auditStub.unavailable) throw new AppError('unavailable');
    auditStub.reads.push([org, action, ...targets.map((t) => t.id)].join(' '));
    return {};
  }
}
@Module({ controllers: [Audit] })
class AuditModule {}

export function startAuditStub(config: BaseConfig, nkeySeed: string): Promise<RunningService> {
  return startService({ service: 'audit', config: { ...config, NATS_NKEY_SEED: nkeySeed }, module: AuditModule });
}
