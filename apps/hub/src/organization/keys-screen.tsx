import { useTranslation } from 'react-i18next';
import { shortId } from '../api/organization.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { RpId } from './rp-id.tsx';
import { SigningKeys } from './signing-keys.tsx';

/** The domain of the passkeys, and the keys with which apps verify tokens. */
export function KeysScreen() {
  const { t } = useTranslation();
  return (
    <Screen title={t('issuerKeys.title')} needs="organization:manage" tabs={<AreaTabs of="/keys" />}>
      <RpId />
      <SigningKeys />
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/keys` }} operation="organization:manage" />
    </Screen>
  );
}
