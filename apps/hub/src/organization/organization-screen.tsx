import { Button, FileInput, Group, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { maxLogoBytes } from '@holdfast/contracts';
import { api, change, dataOf, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { Problem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { ConflictNotice, isConflict } from '../parts/conflict-notice.tsx';
import { draftOf } from '../parts/draft.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { BrandingPreview } from './branding-preview.tsx';
import { changesOf, valuesOf, type OrganizationValues } from './organization-changes.ts';

const organizationQuery = {
  queryKey: ['organization'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/organization', { params: { path } })),
} as const;

const fields = ['name', 'startUrl', 'helpUrl', 'accentColor'] as const;

/** What customers see of the organization on every page, with a preview. */
export function OrganizationScreen() {
  const { t } = useTranslation();
  const { data: stored } = useSuspenseQuery(organizationQuery);
  // What the form began with: a change by somebody else meanwhile must not be overwritten.
  const [organization, setOrganization] = useState(stored);
  const draft = draftOf(sessionStorage, 'organization', { ...valuesOf(organization), logoName: '', logo: '' });
  const [{ logoName, logo: keptLogo, ...keptValues }] = useState(draft.read);
  const form = useForm<OrganizationValues>({ initialValues: keptValues });
  useEffect(() => draft.clear(), []);
  const [file, setFile] = useState(() => (keptLogo === '' ? null : fileOf(logoName, keptLogo)));
  const { mutate, isPending, isSuccess, error, reset, variables } = useMutation({
    mutationFn: async (logo: string | null | undefined) => {
      const body = { ...changesOf(organization, form.values), ...(logo !== undefined && { logo }) };
      if (Object.keys(body).length === 0) return organization;
      return change({ organization: body, version: organization.version }, (header) =>
        api.PATCH('/o/{shortId}/api/admin/organization', {
          params: { path, header: { ...header, 'If-Match': `"${organization.version}"` } },
          body,
        }),
      );
    },
    onSuccess: (changed) => {
      setFile(null);
      form.setValues(valuesOf(changed));
      setOrganization(changed);
      queryClient.setQueryData(organizationQuery.queryKey, changed);
      // The hub has the name and the colour too. Other gateways know of a change within a second.
      setTimeout(() => void queryClient.invalidateQueries({ queryKey: ['organization', 'shown'] }), 1000);
    },
    onError: (failure) => {
      if (isConflict(failure))
        void queryClient.invalidateQueries({ queryKey: organizationQuery.queryKey, exact: true });
    },
  });
  const tooLarge =
    file !== null && file.size > maxLogoBytes
      ? t('organization.tooLarge', { bytes: String(file.size), max: String(maxLogoBytes) })
      : undefined;
  const labels = Object.fromEntries(fields.map((field) => [field, t(`organization.${field}`)])) as Record<
    (typeof fields)[number],
    string
  >;
  const decide = () => {
    setOrganization(stored);
    reset();
  };
  const issueOf = (member: string) => (error instanceof Problem ? error.issueOf(member) : undefined);
  const save = async () => mutate(file === null ? undefined : await base64Of(file));
  return (
    <Screen title={t('organization.title')} tabs={<AreaTabs of="/organization" />}>
      <form onSubmit={form.onSubmit(() => void (tooLarge === undefined && save()))}>
        <Stack maw={640}>
          {fields.map((field) => (
            <TextInput
              key={field}
              label={t(`organization.${field}`)}
              description={t(`organization.${field}Body`)}
              required={field === 'name'}
              {...form.getInputProps(field)}
              error={issueOf(field)}
            />
          ))}
          <FileInput
            label={t('organization.logo')}
            description={t('organization.logoBody')}
            accept="image/png"
            clearable
            clearButtonProps={{ 'aria-label': t('organization.removeLogo') }}
            value={file}
            onChange={setFile}
            error={tooLarge ?? issueOf('logo')}
          />
          <Title order={2} size="h4">
            {t('organization.preview')}
          </Title>
          <BrandingPreview
            name={form.values.name}
            color={form.values.accentColor.trim()}
            logoPath={organization.logoPath}
          />
          {error && !needsStepUp(error) && !isConflict(error) && <ProblemNotice error={error} />}
          {isConflict(error) && stored.version !== organization.version && (
            <ConflictNotice
              labels={labels}
              before={valuesOf(organization)}
              stored={valuesOf(stored)}
              mine={form.values}
              onTakeStored={(values) => {
                form.setValues(values);
                decide();
              }}
              onKeepMine={decide}
            />
          )}
          <StepUp
            error={error}
            onCancel={reset}
            onLeave={() => draft.store({ ...form.values, logoName: file?.name ?? '', logo: variables ?? '' })}
          />
          <Group>
            <Button type="submit" loading={isPending}>
              {t('organization.save')}
            </Button>
            {organization.logoPath !== undefined && (
              <Button variant="default" disabled={isPending} onClick={() => mutate(null)}>
                {t('organization.removeLogo')}
              </Button>
            )}
          </Group>
          <span role="status">{isSuccess ? t('organization.saved') : ''}</span>
          <ViewAsApi
            call={{
              method: 'PATCH',
              path: `/o/${shortId}/api/admin/organization`,
              body: changesOf(organization, form.values),
            }}
            operation="organization:manage"
          />
        </Stack>
      </form>
    </Screen>
  );
}

/** The file that was chosen before a sign-in. */
function fileOf(name: string, base64: string): File {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new File([bytes], name, { type: 'image/png' });
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
