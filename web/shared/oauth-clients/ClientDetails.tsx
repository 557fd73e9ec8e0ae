import { useMutation } from '@tanstack/react-query'
import { refreshPages } from '../api/queries.ts'
import { ActionButton } from '../components/ActionButton.tsx'
import { CopyField } from '../components/CopyField.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { InlineConfirm } from '../forms/InlineConfirm.tsx'
import type { ShownOnce } from '../routing/use-shown-once.ts'
import { deleteClient, type NewOAuthClient, type OAuthClient, rotateSecret, updateClient } from './clients.ts'
import { EditClient } from './EditClient.tsx'

type ClientDetailsProps = { client: OAuthClient; newClient: ShownOnce<NewOAuthClient> }

export function ClientDetails({ client, newClient }: ClientDetailsProps) {
  return (
    <div>
      <CopyField label="Client ID" value={client.client_id} />
      <EditClient client={client} />
      <div className="buttons">
        {client.client_secret_expires_at !== undefined && <RotateSecret client={client} newClient={newClient} />}
        {client.disabled ? <EnableButton client={client} /> : <DisableClient client={client} />}
        <DeleteClient client={client} />
      </div>
    </div>
  )
}

function RotateSecret({ client, newClient }: ClientDetailsProps) {
  return (
    <InlineConfirm
      label="Replace the secret…"
      about={client.client_name}
      question={
        <>
          Replace the secret of <strong>{client.client_name}</strong>? The old one is refused at once, so no user can
          sign in to the app until it has the new one. You see the new one once.
        </>
      }
      confirmLabel="Replace the secret"
      pendingLabel="Replacing…"
      action={() => newClient.send(() => rotateSecret(client))}
      sentences={{ NO_RESPONSE: 'No response came. The old secret may have stopped working: replace it again.' }}
      onDone={newClient.show}
    />
  )
}

function DisableClient({ client }: { client: OAuthClient }) {
  const { client_name } = client
  return (
    <InlineConfirm
      label="Disable…"
      about={client_name}
      question={
        <>
          Disable <strong>{client_name}</strong>? It gets no tokens from now on, and all its sessions end; tokens that
          services already have expire within 15 minutes. You can enable it again, but these sessions don’t come back:
          its users sign in to it anew.
        </>
      }
      confirmLabel="Disable this app"
      pendingLabel="Disabling…"
      action={() => updateClient(client, { disabled: true })}
      onDone={refreshPages}
    />
  )
}

function EnableButton({ client }: { client: OAuthClient }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => updateClient(client, { disabled: false }),
    onSuccess: refreshPages,
  })
  return (
    <>
      {error && <FailureNotice error={error} />}
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Saving…" onPress={() => mutate()}>
        Enable<span className="visually-hidden"> {client.client_name}</span>
      </ActionButton>
    </>
  )
}

function DeleteClient({ client }: { client: OAuthClient }) {
  const { client_name } = client
  return (
    <InlineConfirm
      label="Delete…"
      about={client_name}
      question={
        <>
          Delete <strong>{client_name}</strong>? It gets no tokens from now on; those that services already have expire
          within 15 minutes. What users allowed it is deleted. The app is not told: it may show users as signed in until
          it asks us again. We can’t restore it. An app that is only disabled can be enabled again, without its
          sessions.
        </>
      }
      confirmLabel="Delete this app"
      pendingLabel="Deleting…"
      typedName={client_name}
      action={() => deleteClient(client)}
      onDone={refreshPages}
    />
  )
}
