import { Alert, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { grantable } from '@holdfast/contracts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import type { Problem } from '../api/problem.ts';
import { Facts } from '../parts/facts.tsx';
import { instant } from '../parts/format.ts';
import { ScreenLink } from '../parts/link.tsx';
import { Screen } from '../parts/screen.tsx';
import { useKnown } from '../parts/use-known.ts';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { AppActions } from './app-actions.tsx';
import { AppAssignments } from './app-assignments.tsx';
import { AppAuthentication } from './app-authentication.tsx';
import { AppConnection } from './app-connection.tsx';
import { AppOperations } from './app-operations.tsx';
import { appQuery, newSecretKey, notGrantedKey } from './app-queries.ts';
import { AppRequests } from './app-requests.tsx';
import { AppSecrets } from './app-secrets.tsx';
import { NewSecret } from './new-secret.tsx';

/** One app: what to configure, what it may do, its secrets, and its end. */
export function AppScreen() {
  const { t } = useTranslation();
  const { clientId } = useParams({ from: '/apps/$clientId' });
  const { may } = useMe();
  const { data: app } = useSuspenseQuery(appQuery(clientId));
  const secret = useKnown<string>(newSecretKey(clientId));
  const notGranted = useKnown<Problem>(notGrantedKey(clientId));
  const hasSecrets =
    (app.kind === 'web' || app.kind === 'service') && app.tokenEndpointAuthMethod !== 'private_key_jwt';
  const signsIn = app.kind !== 'service' && app.kind !== 'receiver';
  return (
    <Screen title={app.name} actions={!app.builtIn && may('apps:manage') && <AppActions app={app} />}>
      {secret !== undefined && <NewSecret app={app} secret={secret} />}
      {notGranted && (
        <Alert color="red" role="alert">
          {t('newApp.notGranted', { why: notGranted.detail ?? notGranted.code })}
        </Alert>
      )}
      {app.builtIn && <Text>{t('app.builtIn')}</Text>}
      <Facts
        facts={{
          [t('app.clientId')]: app.clientId,
          [t('apps.kind')]: t(`apps.${app.kind}`),
          [t('apps.state')]: t(`apps.${app.status}`),
          [t('newApp.displayName')]: app.displayName,
          [t('app.issuer')]: app.kind === 'service' ? undefined : `${location.origin}/o/${shortId}`,
          [t('app.tokenEndpoint')]: app.kind === 'service' ? `${location.origin}/oauth2/token` : undefined,
          [t('app.redirectUris')]: app.redirectUris.join(' '),
          [t('newApp.deviceAuthorization')]: app.deviceAuthorization === true ? t('app.allowed') : undefined,
          [t('app.createdAt')]: instant(app.createdAt),
        }}
      />
      {may('audit:read') && (
        <ScreenLink to="/audit-log" search={{ actor: clientId }}>
          {t('app.log')}
        </ScreenLink>
      )}
      {!app.builtIn && grantable(app.kind).length > 0 && <AppOperations app={app} mayChange={may('grants:manage')} />}
      {!app.builtIn && signsIn && <AppConnection app={app} />}
      {!app.builtIn && app.kind !== 'receiver' && <AppAuthentication app={app} />}
      {!app.builtIn && hasSecrets && may('apps:manage') && <AppSecrets app={app} />}
      {signsIn && app.audience === 'people' && may('apps:manage') && <AppAssignments clientId={clientId} />}
      {may('audit:read') && <AppRequests clientId={clientId} />}
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/apps/${clientId}` }} operation="apps:manage" />
    </Screen>
  );
}
