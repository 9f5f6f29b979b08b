import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, change, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { newDestinationSecretKey, reloadDestinations } from './export-queries.ts';
import { destinationKinds, newDestinationOf, type DestinationValues } from './new-destination.ts';

const initial: DestinationValues = { kind: 'https', address: '', index: '', description: '', format: 'native' };

/** Everything but the credential is a draft: a secret is in the memory of the form only. */
export function NewDestination() {
  const { t } = useTranslation();
  let credential = '';
  return (
    <FormDialog
      variant="filled"
      label={t('destinations.new')}
      submit={t('destinations.create')}
      name="new-destination"
      initial={initial}
      fields={(form, issueOf) => {
        const { kind } = form.values;
        return (
          <>
            <NativeSelect
              label={t('destinations.kind')}
              data={destinationKinds.map((value) => ({ value, label: t(`destinations.${value}`) }))}
              {...form.getInputProps('kind')}
            />
            <TextInput
              label={t(kind === 'syslog' ? 'destinations.host' : 'webhooks.url')}
              description={t(kind === 'https' ? 'destinations.signed' : 'destinations.address')}
              required
              maxLength={2000}
              {...form.getInputProps('address')}
              error={issueOf('settings/url') ?? issueOf('settings/host')}
            />
            {kind === 'elasticsearch' && (
              <TextInput
                label={t('destinations.index')}
                required
                {...form.getInputProps('index')}
                error={issueOf('settings/index')}
              />
            )}
            {['splunk_hec', 'elasticsearch', 'datadog'].includes(kind) && (
              <PasswordInput
                label={t(kind === 'splunk_hec' ? 'destinations.token' : 'destinations.apiKey')}
                description={t('destinations.credentialBody')}
                required
                autoComplete="off"
                onChange={(event) => (credential = event.currentTarget.value)}
                error={issueOf('credentials')}
              />
            )}
            <NativeSelect
              label={t('exports.format')}
              data={[
                { value: 'native', label: t('destinations.native') },
                { value: 'ocsf', label: t('exports.ocsf') },
              ]}
              {...form.getInputProps('format')}
            />
            <TextInput
              label={t('webhooks.description')}
              maxLength={200}
              {...form.getInputProps('description')}
              error={issueOf('description')}
            />
          </>
        );
      }}
      run={(values) => {
        const body: Schemas['NewAuditDestination'] = newDestinationOf(values, credential);
        return change({ destination: values, at: Date.now() }, (header) =>
          api.POST('/o/{shortId}/api/admin/audit/destinations', { params: { path, header }, body }),
        );
      }}
      onDone={async ({ secret }) => {
        if (secret !== undefined) queryClient.setQueryData(newDestinationSecretKey, secret);
        await reloadDestinations();
      }}
    />
  );
}
