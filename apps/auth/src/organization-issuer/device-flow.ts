import type { Configuration } from 'oidc-provider';

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** The letters of a user code, without vowels and look-alikes (RFC 8628 §6.1). */
const userCodeForm = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/**
 * Sign-ins on devices without a browser (RFC 8628). The library has the endpoints of the device, and our pages
 * (device-sign-in/) are where its code is entered: those of the library would store a session for every visitor, sign
 * the browser in as well, and give all devices of a customer one grant (docs/adr/0100-device-authorization.md).
 */
export function deviceFlow(): DeviceFlow {
  const unused = () => Promise.reject(new Error('the pages of the library for devices are not in use'));
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    deviceInfo: () => ({}),
    userCodeInputSource: unused,
    userCodeConfirmSource: unused,
    successSource: unused,
  };
}

/** A user code as it is stored, however it was typed; undefined when it cannot be one. */
export function userCodeOf(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s-]/g, '');
  return userCodeForm.test(code) ? code : undefined;
}

/** A user code as the device shows it. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
