import { Text, Textarea, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { instant } from '../parts/format.ts';
import { ScreenLink } from '../parts/link.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { groupsQuery, reloadGroup, type Group } from './group-queries.ts';

/** The groups of people, by which access to apps is given. */
export function GroupsScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const groups = useInfiniteQuery(groupsQuery);
  return (
    <Screen
      title={t('groups.title')}
      tabs={<AreaTabs of="/groups" />}
      actions={
        <FormDialog
          variant="filled"
          label={t('groups.new')}
          submit={t('groups.create')}
          name="new-group"
          initial={{ name: '', description: '' }}
          fields={(form, issueOf) => (
            <>
              <TextInput
                label={t('groups.name')}
                required
                maxLength={200}
                data-autofocus
                {...form.getInputProps('name')}
                error={issueOf('name')}
              />
              <Textarea
                label={t('groups.description')}
                maxLength={500}
                {...form.getInputProps('description')}
                error={issueOf('description')}
              />
            </>
          )}
          run={({ name, description }) => {
            const body = { name: name.trim(), ...(description.trim() !== '' && { description: description.trim() }) };
            return change({ group: body }, (header) =>
              api.POST('/o/{shortId}/api/admin/groups', { params: { path, header }, body }),
            );
          }}
          onDone={async ({ id }) => {
            await reloadGroup(id);
            await navigate({ to: '/groups/$group', params: { group: id } });
          }}
        />
      }
    >
      <PagedTable<Group>
        query={groups}
        keyOf={({ id }) => id}
        none={<Text>{t('groups.none')}</Text>}
        columns={[
          {
            title: t('groups.name'),
            cell: ({ id, name }) => (
              <ScreenLink to="/groups/$group" params={{ group: id }} dir="auto">
                {name}
              </ScreenLink>
            ),
          },
          { title: t('groups.description'), cell: ({ description }) => <span dir="auto">{description}</span> },
          { title: t('list.created'), cell: ({ createdAt }) => instant(createdAt) },
        ]}
      />
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/groups` }} operation="groups:manage" />
    </Screen>
  );
}
