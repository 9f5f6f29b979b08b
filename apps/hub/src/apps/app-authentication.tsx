import { Checkbox, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isProgram } from '@holdfast/contracts';
import { api, change, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { Problem } from '../api/problem.ts';
import { Facts } from '../parts/facts.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Section } from '../parts/section.tsx';
import { reloadApp, type App } from './app-queries.ts';
import { authenticationChanges, authenticationOf, type AuthenticationValues } from './authentication-values.ts';

/** How the app proves who it is, and whether its tokens are bound to a key. */
export function AppAuthentication({ app }: { app: App }) {
  const { t } = useTranslation();
  const { may } = useMe();
  const isPublic = app.kind === 'spa' || app.kind === 'native';
  const method = app.tokenEndpointAuthMethod ?? 'client_secret_basic';
  const keys = app.jwksUri ?? app.jwks?.keys.map(({ kid, kty }) => kid ?? kty).join(', ');
  return (
    <Section
      title={t('authentication.title')}
      text={t('authentication.body')}
      actions={may('grants:manage') && <EditAuthentication app={app} isPublic={isPublic} />}
    >
      <Facts
        facts={{
          [t('authentication.method')]: t(isPublic ? 'authentication.none' : `authentication.${method}`),
          [t('authentication.keys')]: keys,
          [t('authentication.dpop')]: t(app.requireDpop ? 'authentication.required' : 'authentication.notRequired'),
          [t('authentication.format')]: isProgram(app.kind)
            ? undefined
            : t(`authentication.${app.accessTokenFormat ?? 'opaque'}`),
        }}
      />
    </Section>
  );
}

function EditAuthentication({ app, isPublic }: { app: App; isPublic: boolean }) {
  const { t } = useTranslation();
  const { clientId } = app;
  const methods = ['client_secret_basic', 'private_key_jwt'] as const;
  return (
    <FormDialog
      label={t('authentication.edit')}
      title={t('authentication.title')}
      submit={t('authentication.save')}
      name={`authentication-${clientId}`}
      initial={authenticationOf(app)}
      fields={(form, issueOf) => (
        <>
          {!isPublic && (
            <NativeSelect
              label={t('authentication.method')}
              data={methods.map((value) => ({ value, label: t(`authentication.${value}`) }))}
              {...form.getInputProps('tokenEndpointAuthMethod')}
              error={issueOf('tokenEndpointAuthMethod')}
            />
          )}
          {form.values.tokenEndpointAuthMethod === 'private_key_jwt' && (
            <>
              <Textarea
                label={t('authentication.jwks')}
                description={t('authentication.jwksBody')}
                autosize
                minRows={3}
                maxRows={10}
                {...form.getInputProps('jwks')}
                error={issueOf('jwks')}
              />
              <TextInput
                label={t('authentication.jwksUri')}
                description={t('authentication.jwksUriBody')}
                {...form.getInputProps('jwksUri')}
                error={issueOf('jwksUri')}
              />
            </>
          )}
          <Checkbox
            label={t('authentication.requireDpop')}
            checked={form.values.requireDpop !== ''}
            onChange={(event) => form.setFieldValue('requireDpop', event.currentTarget.checked ? 'yes' : '')}
          />
          {!isProgram(app.kind) && (
            <NativeSelect
              label={t('authentication.format')}
              data={(['opaque', 'jwt'] as const).map((value) => ({ value, label: t(`authentication.${value}`) }))}
              {...form.getInputProps('accessTokenFormat')}
              error={issueOf('accessTokenFormat')}
            />
          )}
          <Text size="sm">{t('authentication.ends')}</Text>
        </>
      )}
      run={async (values) => {
        const body = bodyOf(app, values, t('authentication.notJson'));
        return change({ authentication: clientId, body }, (header) =>
          api.PATCH('/o/{shortId}/api/admin/apps/{clientId}', {
            params: { path: { ...path, clientId }, header: { ...header, 'If-Match': `"${app.version}"` } },
            body,
          }),
        );
      }}
      onDone={() => reloadApp(clientId)}
    />
  );
}

/** @throws Problem at the field when the keys are no JSON */
function bodyOf(app: App, values: AuthenticationValues, notJson: string) {
  try {
    return authenticationChanges(app, values);
  } catch {
    throw new Problem('invalid_request', notJson, { issues: [{ pointer: '#/jwks', detail: notJson }] });
  }
}
