// Passkeys need the browser to speak with the device: without this script the forms that use them stay hidden.
for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) continue
  form.hidden = false
  const options = JSON.parse(form.dataset.options)
  const isNew = form.dataset.passkey === 'create'
  const ask = () =>
    isNew
      ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const note = form.querySelector('[role=status]')
    try {
      const credential = await ask()
      form.elements.response.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      note.textContent = 'The passkey was not used. Try again, or go another way.'
    }
  })
}
