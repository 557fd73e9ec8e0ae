import { useState } from 'react'
import { authentication } from '../api/authentication.ts'
import { queryClient, type SignedIn, sessionQuery } from '../api/queries.ts'
import { EntryForm } from './EntryForm.tsx'
import { NameField } from './NameField.tsx'
import { Notice } from './Notice.tsx'
import { PictureField } from './PictureField.tsx'

export function EditProfile({ user }: Pick<SignedIn, 'user'>) {
  const [isSaved, setSaved] = useState(false)

  async function showSaved() {
    await queryClient.invalidateQueries(sessionQuery)
    setSaved(true)
  }

  return (
    <section className="card" aria-labelledby="profile">
      <h2 id="profile">What others see</h2>
      {isSaved && <Notice kind="success">Saved.</Notice>}
      <EntryForm
        send={(value) => {
          setSaved(false)
          return authentication.updateUser({ name: value('name').trim(), image: value('image') || null })
        }}
        onDone={showSaved}
        submitLabel="Save"
        pendingLabel="Saving…"
      >
        <NameField defaultValue={user.name} />
        <PictureField name="image" owner={user.name} defaultValue={user.image} />
      </EntryForm>
    </section>
  )
}
