import { Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { credentialTypesQuery } from '../api/credential-types.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { TableSkeleton } from '../parts/table-skeleton.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { emptyType, termsOf, valuesOfType, type TypeValues } from './credential-type-values.ts';

type CredentialType = Schemas['CredentialType'];

const reload = () => queryClient.invalidateQueries({ queryKey: ['credential-types'] });

/** What kinds of credentials the organization issues. */
export function CredentialTypesScreen() {
  const { t } = useTranslation();
  const { data, error, isPending } = useQuery(credentialTypesQuery);
  return (
    <Screen
      title={t('types.title')}
      needs="organization:manage"
      tabs={<AreaTabs of="/credential-types" />}
      actions={
        <FormDialog
          variant="filled"
          label={t('types.new')}
          submit={t('types.create')}
          name="new-credential-type"
          initial={emptyType}
          fields={(form, issueOf) => <TypeFields form={form} issueOf={issueOf} isNew />}
          run={(values) => {
            const body = { name: values.name.trim(), ...termsOf(values) };
            return dataOf(api.POST('/o/{shortId}/api/admin/credential-types', { params: { path }, body }));
          }}
          onDone={reload}
        />
      }
    >
      <Text>{t('types.body')}</Text>
      {error && <ProblemNotice error={error} />}
      {isPending && <TableSkeleton columns={6} />}
      {data && (
        <ObjectTable<CredentialType>
          items={data.items}
          keyOf={({ name }) => name}
          columns={[
            { title: t('types.name'), cell: ({ name }) => <code>{name}</code> },
            { title: t('types.display'), cell: ({ display }) => <span dir="auto">{display}</span> },
            { title: t('types.validity'), cell: ({ validity }) => validity ?? t('types.unlimited') },
            { title: t('types.revocable'), cell: ({ revocable }) => t(revocable ? 'list.yes' : 'list.no') },
            { title: t('types.default'), cell: ({ isDefault }) => t(isDefault ? 'list.yes' : 'list.no') },
            { title: t('list.actions'), cell: (type) => <EditType type={type} /> },
          ]}
        />
      )}
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/credential-types` }} operation="issued:read" />
    </Screen>
  );
}

function EditType({ type }: { type: CredentialType }) {
  const { t } = useTranslation();
  const { name } = type;
  return (
    <FormDialog
      size="compact-sm"
      label={t('groups.edit')}
      title={t('types.edit', { name })}
      submit={t('groups.save')}
      name={`credential-type-${name}`}
      initial={valuesOfType(type)}
      fields={(form, issueOf) => <TypeFields form={form} issueOf={issueOf} isDefault={type.isDefault} />}
      run={(values) => {
        const { isDefault, validity = null, renewalWindow = null, ...terms } = termsOf(values);
        const body = { ...terms, validity, renewalWindow, ...(isDefault && { isDefault }) };
        return dataOf(
          api.PATCH('/o/{shortId}/api/admin/credential-types/{name}', { params: { path: { ...path, name } }, body }),
        );
      }}
      onDone={reload}
    />
  );
}

interface FieldsProps {
  form: UseFormReturnType<TypeValues>;
  issueOf: (member: string) => string | undefined;
  isNew?: boolean;
  /** It stays the default until another type becomes it. */
  isDefault?: boolean;
}

function TypeFields({ form, issueOf, isNew = false, isDefault = false }: FieldsProps) {
  const { t } = useTranslation();
  const checkbox = (member: 'revocable' | 'isDefault') => ({
    checked: form.values[member] !== '',
    onChange: (event: { currentTarget: { checked: boolean } }) =>
      form.setFieldValue(member, event.currentTarget.checked ? 'yes' : ''),
  });
  return (
    <>
      {isNew && (
        <TextInput
          label={t('types.name')}
          description={t('types.nameBody')}
          required
          maxLength={64}
          data-autofocus
          {...form.getInputProps('name')}
          error={issueOf('name')}
        />
      )}
      <TextInput
        label={t('types.display')}
        description={t('types.displayBody')}
        required
        maxLength={100}
        {...form.getInputProps('display')}
        error={issueOf('display')}
      />
      <TextInput
        label={t('types.validity')}
        description={t('types.validityBody')}
        {...form.getInputProps('validity')}
        error={issueOf('validity')}
      />
      <TextInput
        label={t('types.renewalWindow')}
        description={t('types.renewalWindowBody')}
        {...form.getInputProps('renewalWindow')}
        error={issueOf('renewalWindow')}
      />
      <NativeSelect
        label={t('types.maxPasskeys')}
        data={Array.from({ length: 10 }, (_, i) => String(i + 1))}
        {...form.getInputProps('maxPasskeys')}
        error={issueOf('maxPasskeys')}
      />
      <Checkbox label={t('types.revocableBody')} {...checkbox('revocable')} />
      <Checkbox label={t('types.defaultBody')} disabled={isDefault} {...checkbox('isDefault')} />
    </>
  );
}
