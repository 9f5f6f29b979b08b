import { Anchor, Checkbox, Group, NativeSelect, Progress, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, change, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { Action } from '../parts/action.tsx';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { instant } from '../parts/format.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { exportsQuery, reloadExports, type AuditExport } from './export-queries.ts';

const formats = ['ndjson', 'csv', 'ocsf'] as const;

/** Files of the audit log: requested, written, downloaded. */
export function ExportsScreen() {
  const { t } = useTranslation();
  const exports = useInfiniteQuery(exportsQuery);
  return (
    <Screen title={t('exports.title')} tabs={<AreaTabs of="/exports" />} actions={<NewExport />}>
      <PagedTable<AuditExport>
        query={exports}
        keyOf={({ id }) => id}
        none={<Text>{t('exports.none')}</Text>}
        columns={[
          { title: t('list.created'), cell: ({ createdAt }) => instant(createdAt) },
          { title: t('exports.format'), cell: ({ format }) => t(`exports.${format}`) },
          { title: t('list.state'), cell: (one) => <ExportState of={one} /> },
          { title: t('exports.entries'), cell: ({ entries }) => entries },
          {
            title: t('exports.until'),
            cell: ({ expiresAt }) => (expiresAt === undefined ? '–' : instant(expiresAt)),
          },
          {
            title: t('list.actions'),
            cell: ({ id, state }) => (
              <Group gap="xs" wrap="nowrap">
                {state === 'ready' && (
                  <Anchor href={`/o/${shortId}/api/admin/audit/exports/${id}/file`} download>
                    {t('exports.download')}
                  </Anchor>
                )}
                <Action
                  isFinal
                  size="compact-sm"
                  label={t('exports.delete')}
                  confirm={{ title: t('exports.deleteTitle'), text: t('exports.deleteBody') }}
                  run={() =>
                    change({ deleteExport: id }, (header) =>
                      api.DELETE('/o/{shortId}/api/admin/audit/exports/{id}', {
                        params: { path: { ...path, id }, header },
                      }),
                    )
                  }
                  onDone={reloadExports}
                />
              </Group>
            ),
          },
        ]}
      />
      <Anchor href="/verify">{t('overview.verify')}</Anchor>
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/audit/exports` }} operation="audit:export" />
    </Screen>
  );
}

function ExportState({ of: { state, reason, progress } }: { of: AuditExport }) {
  const { t } = useTranslation();
  if (state === 'running' && progress && progress.size > 0) {
    const percent = Math.round((progress.seq / progress.size) * 100);
    return <Progress value={percent} aria-label={t('exports.progress', { percent: String(percent) })} />;
  }
  return `${t(`exports.${state}`)}${reason === undefined ? '' : ` · ${reason}`}`;
}

function NewExport() {
  const { t } = useTranslation();
  return (
    <FormDialog
      variant="filled"
      label={t('exports.new')}
      submit={t('exports.create')}
      name="new-export"
      initial={{ format: 'ndjson', from: '', to: '', proof: '' }}
      fields={(form, issueOf) => (
        <>
          <NativeSelect
            label={t('exports.format')}
            data={formats.map((value) => ({ value, label: t(`exports.${value}`) }))}
            {...form.getInputProps('format')}
          />
          <Group grow>
            <TextInput type="date" label={t('exports.from')} {...form.getInputProps('from')} error={issueOf('from')} />
            <TextInput type="date" label={t('exports.to')} {...form.getInputProps('to')} error={issueOf('to')} />
          </Group>
          <Checkbox
            label={t('exports.proof')}
            checked={form.values.proof !== ''}
            onChange={(event) => form.setFieldValue('proof', event.currentTarget.checked ? 'yes' : '')}
          />
        </>
      )}
      run={({ format, from, to, proof }) => {
        const body = {
          format: format as Schemas['AuditExport']['format'],
          ...(from !== '' && { from: new Date(`${from}T00:00`).toISOString() }),
          ...(to !== '' && { to: new Date(`${to}T00:00`).toISOString() }),
          ...(proof !== '' && { proof: true }),
        };
        return change({ export: body, at: Date.now() }, (header) =>
          api.POST('/o/{shortId}/api/admin/audit/exports', { params: { path, header }, body }),
        );
      }}
      onDone={reloadExports}
    />
  );
}
