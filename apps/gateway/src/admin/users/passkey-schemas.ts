import { z } from 'zod';
import { passkeyName, passkeySchema } from '@holdfast/contracts';

export const passkeyListSchema = z
  .strictObject({ items: z.array(passkeySchema).describe('Oldest first') })
  .meta({ id: 'UserPasskeys' });
export const passkeyNameSchema = z
  .strictObject({ name: passkeyName.describe('By which people recognize it') })
  .meta({ id: 'PasskeyName' });
