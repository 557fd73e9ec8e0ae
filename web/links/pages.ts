import { ChangeEmail } from './ChangeEmail.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { UndoChangeEmail } from './UndoChangeEmail.tsx'
import { VerifyEmail } from './VerifyEmail.tsx'

export const pages = { ChangeEmail, DeleteAccount, UndoChangeEmail, VerifyEmail }
