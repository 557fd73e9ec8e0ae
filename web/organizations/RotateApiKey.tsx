import { request } from '../shared/api/request.ts'
import { Select } from '../shared/components/Select.tsx'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import type { ShownOnce } from '../shared/routing/use-shown-once.ts'
import type { ApiKey, CreatedApiKey } from './queries.ts'

const OVERLAPS = {
  0: 'At once',
  3600: 'In an hour',
  86400: 'In 24 hours',
  604800: 'In 7 days',
}

type RotateApiKeyProps = { apiKey: ApiKey; newKey: ShownOnce<CreatedApiKey> }

/** The old key works for some time, so that programs can change to the new key without an interruption. */
export function RotateApiKey({ apiKey: { id, name }, newKey }: RotateApiKeyProps) {
  function rotate(overlapSeconds: number): Promise<CreatedApiKey> {
    return request('/api/auth/api-key/rotate', { keyId: id, overlapSeconds })
  }

  return (
    <InlineConfirm
      label="Rotate…"
      about={name}
      kind="main"
      question={
        <>
          Replace <strong>{name}</strong> with a new key of the same name, role and lifetime? You see the new one once.
        </>
      }
      confirmLabel="Rotate this API key"
      pendingLabel="Rotating…"
      fields={<Select name="overlap" label="The old key stops working" options={OVERLAPS} defaultValue="86400" />}
      action={(value) => newKey.send(() => rotate(Number(value('overlap'))))}
      onDone={newKey.show}
    />
  )
}
