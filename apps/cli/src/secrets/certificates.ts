import { issueCertificate, isUsableCertificate, newAuthority } from '@holdfast/platform-policy/certificates';
import { changeData, type KubernetesObject, type ObjectStore } from './kubernetes-api.js';
import { decoded, emptySecret, encoded } from './kubernetes-secret.js';

/** A certificate of a component, and the names that it is for. */
export interface WantedCertificate {
  component: string;
  names: string[];
}

/**
 * Creates a CA once, and with it the certificates of the components, each in a Secret of its own. Renews those of which
 * less than a third of the lifetime is left, or whose names have changed.
 *
 * @param prefix of the names of the Secrets: `<prefix>-ca`, `<prefix>-<component>-tls`
 * @returns the names of the Secrets that were created or renewed
 */
export async function createCertificates(
  store: ObjectStore,
  prefix: string,
  wanted: WantedCertificate[],
  lifetimeDays: number,
  now = new Date(),
): Promise<string[]> {
  const ca = await certificateAuthority(store, `${prefix}-ca`, now);
  const changed = ca.isNew ? [`${prefix}-ca`] : [];
  for (const { component, names } of wanted) {
    const empty: KubernetesObject = { ...emptySecret(`${prefix}-${component}-tls`), type: 'kubernetes.io/tls' };
    // Kubernetes refuses a Secret of this type without both.
    empty.data = { 'tls.crt': '', 'tls.key': '' };
    const added = await changeData(store, empty, async (data) => {
      if (isUsable(decoded(data), ca.certificate, names, now)) return {};
      const { certificate, key } = await issueCertificate(ca, { names, lifetimeDays }, now);
      return encoded({ 'tls.crt': certificate, 'tls.key': key, 'ca.crt': ca.certificate });
    });
    if (Object.keys(added).length > 0) changed.push(empty.metadata.name);
  }
  return changed;
}

interface CertificateAuthority {
  certificate: string;
  key: string;
  isNew: boolean;
}

async function certificateAuthority(store: ObjectStore, name: string, now: Date): Promise<CertificateAuthority> {
  const added = await changeData(store, emptySecret(name), async (data) => {
    if (data['ca.key']) return {};
    const { certificate, key } = await newAuthority(name, now);
    return encoded({ 'ca.crt': certificate, 'ca.key': key });
  });
  const { 'ca.crt': certificate = '', 'ca.key': key = '' } = decoded((await store.get(name))?.data ?? {});
  return { certificate, key, isNew: Object.keys(added).length > 0 };
}

function isUsable(secret: Record<string, string>, ca: string, names: string[], now: Date): boolean {
  if (!secret['tls.crt'] || !secret['tls.key'] || secret['ca.crt'] !== ca) return false;
  return isUsableCertificate(secret['tls.crt'], ca, names, now);
}
