import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, type EntityManager, type Repository } from 'typeorm';
import type { Maker } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { AppError, keyedHash, keyIdOf, newSecret } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import { personOfMaker } from '../../people/person-of-maker.js';
import { AppSecretEntity } from './app-secret.entity.js';

/** A new secret. The response that creates it is the only one that contains it. */
export interface NewSecret {
  secretId: string;
  clientSecret: string;
}

const slots = [1, 2];

export function generateSecret(): NewSecret {
  return { secretId: `sec_${randomBytes(9).toString('base64url')}`, clientSecret: newSecret() };
}

@Injectable()
export class Secrets {
  constructor(
    @InjectRepository(AppSecretEntity) private readonly secrets: Repository<AppSecretEntity>,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  listValid(clientId: string): Promise<AppSecretEntity[]> {
    return this.secrets.find({ where: { clientId, revokedAt: IsNull() }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** For an app that this transaction has locked or created. @throws invalid_state when it has two valid secrets */
  async store(
    manager: EntityManager,
    clientId: string,
    { secretId, clientSecret }: NewSecret,
    made: Maker,
  ): Promise<AppSecretEntity> {
    const valid = await manager.findBy(AppSecretEntity, { clientId, revokedAt: IsNull() });
    const slot = slots.find((candidate) => !valid.some((secret) => secret.slot === candidate));
    if (slot === undefined)
      throw new AppError(
        'invalid_state',
        'The app has two valid client secrets; revoke one before you create another.',
      );
    const { SECRET_PEPPER: pepper } = this.config;
    const hash = keyedHash(pepper, clientSecret);
    const pepperId = keyIdOf(pepper, 'SECRET_PEPPER');
    const maker = {
      createdByType: made.type,
      createdBy: made.type === 'app' ? made.id! : null,
      createdByPerson: await personOfMaker(sqlOf(manager), made),
    };
    const secret = { id: secretId, clientId, hash, pepperId, slot, ...maker, revokedAt: null };
    const stored = Object.assign(new AppSecretEntity(), secret);
    await manager.insert(AppSecretEntity, stored);
    return stored;
  }

  /**
   * Refuses a grant to an app while a program knows one of its secrets (product §4): with it the program would get the
   * scope. The app is locked. @throws invalid_state
   */
  async requireUnseen(manager: EntityManager, clientId: string): Promise<void> {
    const seen = await manager.findOneBy(AppSecretEntity, { clientId, revokedAt: IsNull(), createdBy: Not(IsNull()) });
    if (seen)
      throw new AppError(
        'invalid_state',
        `The app ${seen.createdBy} knows the client secret ${seen.id} and would get the scope with it. Create ` +
          `another secret, revoke ${seen.id}, and then grant.`,
      );
  }

  /** @throws unknown_secret */
  async revoke(manager: EntityManager, clientId: string, id: string): Promise<void> {
    // PostgreSQL's clock, because the revocation feed compares the column with it.
    const revokedAt = () => 'clock_timestamp()';
    const { affected } = await manager.update(AppSecretEntity, { id, clientId, revokedAt: IsNull() }, { revokedAt });
    if (affected === 0) throw new AppError('unknown_secret', `The app has no valid client secret "${id}".`);
  }
  /** For an app that no longer authenticates with a secret. */
  async revokeAll(manager: EntityManager, clientId: string): Promise<void> {
    const revokedAt = () => 'clock_timestamp()';
    await manager.update(AppSecretEntity, { clientId, revokedAt: IsNull() }, { revokedAt });
  }
}
