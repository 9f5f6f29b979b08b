import { Checkbox, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { roleNames } from '@holdfast/contracts';

interface Props {
  value: string[];
  onChange: (roles: string[]) => void;
  description?: string;
  disabled?: boolean;
}

/** The roles, each with what it allows. */
export function RolesField({ value, onChange, description, disabled = false }: Props) {
  const { t } = useTranslation();
  return (
    <Checkbox.Group
      label={t('people.roles')}
      description={description}
      value={value}
      onChange={onChange}
      disabled={disabled}
    >
      <Stack gap="xs" mt="xs">
        {roleNames.map((role) => (
          <Checkbox key={role} value={role} label={t(`role.${role}`)} description={t(`role.${role}Body`)} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
