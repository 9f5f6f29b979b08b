import { listKeys, platformKeys, rotateKeys } from './auth.js';

/** Every contract that auth answers. */
export const authContracts = [platformKeys, listKeys, rotateKeys] as const;
