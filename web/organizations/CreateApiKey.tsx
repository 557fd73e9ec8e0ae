import { request } from '../shared/api/request.ts'
import { Select } from '../shared/components/Select.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { TextField } from '../shared/forms/TextField.tsx'
import type { ShownOnce } from '../shared/routing/use-shown-once.ts'
import type { CreatedApiKey } from './queries.ts'
import { RoleChoice } from './RoleChoice.tsx'
import type { Role } from './roles.ts'

const DAY_SECONDS = 86_400
const EXPIRIES = {
  [30 * DAY_SECONDS]: 'In 30 days',
  [90 * DAY_SECONDS]: 'In 90 days',
  [365 * DAY_SECONDS]: 'In a year',
  '': 'Never',
}

const MEANINGS = {
  member: 'Enough for most programs.',
  admin: 'For programs that manage the organization. Only owners create and change such keys.',
}

const SENTENCES = {
  NO_RESPONSE:
    'No response came. If the list below has the key, rotate it: you then see a new one. Otherwise create it again.',
}

type CreateApiKeyProps = { organizationId: string; role: Role; newKey: ShownOnce<CreatedApiKey> }

export function CreateApiKey({ organizationId, role, newKey }: CreateApiKeyProps) {
  function create(value: (name: string) => string) {
    const expiresIn = value('expiresIn')
    return request<CreatedApiKey>('/api/auth/api-key/create', {
      name: value('name').trim(),
      role: value('role'),
      expiresIn: expiresIn === '' ? null : Number(expiresIn),
      organizationId,
    })
  }

  return (
    <Form
      send={(value) => newKey.send(() => create(value))}
      onDone={newKey.show}
      submitLabel="Create API key"
      pendingLabel="Creating…"
      sentences={SENTENCES}
    >
      <TextField
        name="name"
        label="Name"
        hint="The program that uses it, for example Nightly export."
        content="code"
        autoComplete="off"
        check={(value) => (value.trim() === '' ? 'Enter a name, so that you recognize the key later.' : null)}
      />
      <Select name="expiresIn" label="It expires" options={EXPIRIES} defaultValue={String(90 * DAY_SECONDS)} />
      <RoleChoice
        legend="Its role in the organization"
        options={role === 'owner' ? { member: 'Member', admin: 'Admin' } : { member: 'Member' }}
        meanings={MEANINGS}
      />
    </Form>
  )
}
