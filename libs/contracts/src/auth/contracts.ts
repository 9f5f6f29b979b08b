import { listKeys, platformKeys, rotateKeys } from './auth.js';

/** Every contract that auth handles. */
export const authContracts = [platformKeys, listKeys, rotateKeys] as const;
