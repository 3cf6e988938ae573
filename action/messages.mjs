// Lines that the runner shows as annotations.

export function complain(message) {
  process.stdout.write(`::error title=Probity::${escaped(message)}\n`);
}

export function warn(message) {
  process.stdout.write(`::warning title=Probity::${escaped(message)}\n`);
}

/** A line break would end the message, and what follows could be a command to the runner. */
function escaped(message) {
  return message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
