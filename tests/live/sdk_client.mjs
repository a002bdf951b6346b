// Drives a server with an official TypeScript SDK client: `node sdk_client.mjs SDK MODE WORD STEPS -- COMMAND…`, one JSON line per step.
// SDK is `1` (@modelcontextprotocol/sdk) or `2` (@modelcontextprotocol/client); the rest is as in sdk_client.py. Run from a folder that has both.
const [sdk, mode, word, stepsText] = process.argv.slice(2);
const [command, ...args] = process.argv.slice(process.argv.indexOf('--') + 1);
const say = line => console.log(JSON.stringify(line));

const capabilities = { capabilities: { elicitation: { form: {} } } };
const about = { name: 'callgate-live', version: '1' };
const env = Object.fromEntries(Object.entries(process.env));

async function answer(request) {
    const fields = Object.entries(request.params.requestedSchema.properties);
    say({ asked: request.params.message });
    return { action: 'accept', content: Object.fromEntries(fields.map(([key, field]) => [key, field.enum.find(one => one.split(' ').includes(word))])) };
}

async function first() {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const client = new Client(about, capabilities);
    client.setRequestHandler(ElicitRequestSchema, answer);
    await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
    return client;
}

async function second() {
    const { Client } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const named = mode === 'auto' || mode === 'legacy' ? mode : { pin: mode };
    const client = new Client(about, { ...capabilities, versionNegotiation: { mode: named } });
    client.setRequestHandler('elicitation/create', answer);
    await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
    return client;
}

const client = sdk === '1' ? await first() : await second();
say({ version: client.getNegotiatedProtocolVersion?.() ?? null, tools: (await client.listTools()).tools.map(tool => tool.name).sort() });
for (const [name, given] of JSON.parse(stepsText)) say({ result: await client.callTool({ name, arguments: given }) });
await client.close();
