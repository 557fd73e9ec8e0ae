import { useMutation } from '@tanstack/react-query'
import { refreshPages } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import type { ShownOnce } from '../shared/routing/use-shown-once.ts'
import type { ApiKey, CreatedApiKey } from './queries.ts'
import { RotateApiKey } from './RotateApiKey.tsx'

type ApiKeyDetailsProps = {
  apiKey: ApiKey
  managerRole: string
  newKey: ShownOnce<CreatedApiKey>
}

/** Only owners change a key with the role admin. An admin may delete it. */
export function ApiKeyDetails({ apiKey, managerRole, newKey }: ApiKeyDetailsProps) {
  const { role, createdBy, rotatedAt } = apiKey
  const obstacle =
    role === 'admin' && managerRole !== 'owner' ? 'Only owners change a key with the role Admin.' : undefined
  return (
    <div>
      {rotatedAt !== null && <p>A new key with this name has replaced it. Rotate the new one.</p>}
      {!createdBy.isMember && rotatedAt === null && (
        <p>
          {createdBy.name ?? 'The user'} who created this key has left the organization, and may still have a copy.
          Rotate it.
        </p>
      )}
      {obstacle && <p className="obstacle">{obstacle}</p>}
      <div className="buttons">
        {obstacle === undefined && (
          <>
            {rotatedAt === null && <RotateApiKey apiKey={apiKey} newKey={newKey} />}
            <EnableButton apiKey={apiKey} />
          </>
        )}
        <DeleteApiKey apiKey={apiKey} />
      </div>
    </div>
  )
}

function DeleteApiKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  return (
    <InlineConfirm
      label="Delete…"
      about={name}
      question={
        <>
          Delete <strong>{name}</strong>? It gets no tokens from now on; those that programs already have expire within
          15 minutes. We can’t restore it. To try that first, disable it.
        </>
      }
      confirmLabel="Delete this API key"
      pendingLabel="Deleting…"
      typedName={name}
      action={() => request('/api/auth/api-key/delete', { keyId: id })}
      onDone={refreshPages}
    />
  )
}

function EnableButton({ apiKey: { id, name, enabled } }: { apiKey: ApiKey }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => request('/api/auth/api-key/update', { keyId: id, enabled: !enabled }),
    onSuccess: refreshPages,
  })
  return (
    <>
      {error && <FailureNotice error={error} />}
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Saving…" onPress={() => mutate()}>
        {enabled ? 'Disable' : 'Enable'}
        <span className="visually-hidden"> {name}</span>
      </ActionButton>
    </>
  )
}
